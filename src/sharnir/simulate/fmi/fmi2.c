/* FMI 2.0, co-simulation and model exchange, of the model in model.c. Value references: q, v, their rates, u, p, y. */

#include "integration.c"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
  void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
  void *(*allocateMemory)(size_t, size_t);
  void (*freeMemory)(void *);
  void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged, nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

typedef struct {
  Model model;
  const fmi2CallbackFunctions *callbacks;
  char *name;
} Instance;

#define FIRST_RATE N
#define FIRST_INPUT (2 * N)
#define FIRST_PARAMETER (FIRST_INPUT + NU)
#define FIRST_OUTPUT (FIRST_PARAMETER + NP)

static fmi2Status failed(Instance *x, const char *message) {
  if (x->callbacks->logger)
    x->callbacks->logger(x->callbacks->componentEnvironment, x->name, fmi2Error, "logStatusError", "%s", message);
  return fmi2Error;
}

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
  (void)c; (void)on; (void)n; (void)categories;
  return fmi2OK;
}

EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
    const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
  Instance *x = (Instance *)calloc(1, sizeof(Instance));
  (void)type; (void)resources; (void)visible; (void)logging;
  if (!x) return 0;
  x->callbacks = functions;
  x->name = (char *)calloc(strlen(name) + 1, 1);
  if (x->name) strcpy(x->name, name);
  model_start(&x->model);
  if (!guid || strcmp(guid, GUID) != 0) {
    failed(x, "the GUID is not that of this model");
    free(x->name);
    free(x);
    return 0;
  }
  return x;
}

EXPORT void fmi2FreeInstance(fmi2Component c) {
  if (!c) return;
  free(((Instance *)c)->name);
  free(c);
}

EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean given, fmi2Real tolerance, fmi2Real start,
    fmi2Boolean ends, fmi2Real end) {
  Model *m = &((Instance *)c)->model;
  (void)ends; (void)end;
  m->t = start;
  if (given && tolerance > 0.0) m->tolerance = tolerance < DEFAULT_TOLERANCE ? tolerance : DEFAULT_TOLERANCE;
  return fmi2OK;
}

EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c) { (void)c; return fmi2OK; }

EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  if (model_project(&((Instance *)c)->model)) return failed((Instance *)c, "no position near the given one closes the loops");
  return fmi2OK;
}

EXPORT fmi2Status fmi2Terminate(fmi2Component c) { (void)c; return fmi2OK; }

EXPORT fmi2Status fmi2Reset(fmi2Component c) {
  model_start(&((Instance *)c)->model);
  return fmi2OK;
}

/* Where a variable is stored; 0 if it is computed. */
static double *place(Model *m, fmi2ValueReference r) {
  if (r < NQ) return m->q + r;
  if (r < N) return m->v + (r - NQ);
  if (r >= FIRST_INPUT && r < FIRST_PARAMETER) return m->u + (r - FIRST_INPUT);
  if (r >= FIRST_PARAMETER && r < FIRST_OUTPUT) return m->p + (r - FIRST_PARAMETER);
  return 0;
}

EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t n, fmi2Real values[]) {
  Model *m = &((Instance *)c)->model;
  double rates[N], y[N], outputs[NY + 1];
  int known_rates = 0, known_outputs = 0;
  size_t i;
  for (i = 0; i < n; i++) {
    const fmi2ValueReference r = references[i];
    const double *stored = place(m, r);
    if (stored) {
      values[i] = *stored;
    } else if (r < FIRST_INPUT) {
      if (!known_rates) {
        memcpy(y, m->q, sizeof(m->q));
        memcpy(y + NQ, m->v, sizeof(m->v));
        model_derivatives(m, m->t, y, rates);
        known_rates = 1;
      }
      values[i] = rates[r - FIRST_RATE];
    } else if (r < FIRST_OUTPUT + NY) {
      if (!known_outputs) model_outputs(m->t, m->q, m->v, m->u, m->p, outputs);
      known_outputs = 1;
      values[i] = outputs[r - FIRST_OUTPUT];
    } else {
      return failed((Instance *)c, "unknown value reference");
    }
  }
  return fmi2OK;
}

EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t n, const fmi2Real values[]) {
  size_t i;
  for (i = 0; i < n; i++) {
    double *stored = place(&((Instance *)c)->model, references[i]);
    if (!stored) return failed((Instance *)c, "a variable that is computed cannot be set");
    *stored = values[i];
  }
  return fmi2OK;
}

/* There are real variables only. */
#define NO_VARIABLES(type)                                                                                                     \
  EXPORT fmi2Status fmi2Get##type(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2##type x[]) {                   \
    (void)r; (void)x;                                                                                                          \
    return n == 0 ? fmi2OK : failed((Instance *)c, "the model has real variables only");                                       \
  }                                                                                                                            \
  EXPORT fmi2Status fmi2Set##type(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2##type x[]) {             \
    (void)r; (void)x;                                                                                                          \
    return n == 0 ? fmi2OK : failed((Instance *)c, "the model has real variables only");                                       \
  }
NO_VARIABLES(Integer)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
  if (!*state) *state = calloc(1, sizeof(Model));
  if (!*state) return failed((Instance *)c, "no memory for the state");
  memcpy(*state, &((Instance *)c)->model, sizeof(Model));
  return fmi2OK;
}

EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  memcpy(&((Instance *)c)->model, state, sizeof(Model));
  return fmi2OK;
}

EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
  (void)c;
  free(*state);
  *state = 0;
  return fmi2OK;
}

EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
  (void)c; (void)state;
  *size = sizeof(Model);
  return fmi2OK;
}

EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  if (size < sizeof(Model)) return failed((Instance *)c, "too little room for the state");
  memcpy(bytes, state, sizeof(Model));
  return fmi2OK;
}

EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
  if (size < sizeof(Model)) return failed((Instance *)c, "these bytes are not a state of this model");
  if (!*state) *state = calloc(1, sizeof(Model));
  if (!*state) return failed((Instance *)c, "no memory for the state");
  memcpy(*state, bytes, sizeof(Model));
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference u[], size_t nu,
    const fmi2ValueReference k[], size_t nk, const fmi2Real du[], fmi2Real dk[]) {
  (void)u; (void)nu; (void)k; (void)nk; (void)du; (void)dk;
  return failed((Instance *)c, "directional derivatives are not provided");
}

/* co-simulation */

EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean final) {
  Model *m = &((Instance *)c)->model;
  (void)final;
  m->t = t;
  if (h > 0.0 && model_integrate(m, t + h))
    return failed((Instance *)c, "the step cannot be computed: a singular position, or an acceleration that is not finite");
  return fmi2OK;
}

EXPORT fmi2Status fmi2CancelStep(fmi2Component c) { return failed((Instance *)c, "steps are not asynchronous"); }

EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer order[],
    const fmi2Real values[]) {
  (void)r; (void)order; (void)values;
  return n == 0 ? fmi2OK : failed((Instance *)c, "inputs are held during a step");
}

EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2Integer order[], fmi2Real values[]) {
  (void)r; (void)order; (void)values;
  return n == 0 ? fmi2OK : failed((Instance *)c, "derivatives of outputs are not provided");
}

EXPORT fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
  (void)c; (void)kind;
  *value = fmi2OK;
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
  (void)kind;
  *value = ((Instance *)c)->model.t;
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
  (void)kind; (void)value;
  return failed((Instance *)c, "there is no such status");
}

EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
  (void)c; (void)kind;
  *value = 0;
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
  (void)kind; (void)value;
  return failed((Instance *)c, "there is no such status");
}

/* model exchange: after a step whose constraints have drifted apart an event brings the state back onto them */

static int drifted(Model *m) {
  double g[NC + 1], gdot[NC + 1], G[(NC + 1) * NV], gamma[NC + 1];
  if (NC == 0 && N_QUATERNIONS == 0) return 0;
  if (NC == 0) return 1;
  model_constraints(m->t, m->q, m->v, m->u, m->p, g, gdot, G, gamma);
  return !(largest(NC, g) < m->tolerance && largest(NC, gdot) < m->tolerance);
}

EXPORT fmi2Status fmi2EnterEventMode(fmi2Component c) { (void)c; return fmi2OK; }
EXPORT fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { (void)c; return fmi2OK; }

EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
  memset(info, 0, sizeof(fmi2EventInfo));
  if (drifted(&((Instance *)c)->model)) {
    if (model_project(&((Instance *)c)->model)) return failed((Instance *)c, "the constraints cannot be kept");
    info->valuesOfContinuousStatesChanged = 1;
  }
  return fmi2OK;
}

EXPORT fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_return, fmi2Boolean *event, fmi2Boolean *end) {
  (void)no_return;
  *event = NC > 0 && drifted(&((Instance *)c)->model);
  *end = 0;
  return fmi2OK;
}

EXPORT fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) {
  ((Instance *)c)->model.t = t;
  return fmi2OK;
}

EXPORT fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real y[], size_t n) {
  Model *m = &((Instance *)c)->model;
  if (n != N) return failed((Instance *)c, "wrong number of states");
  memcpy(m->q, y, sizeof(m->q));
  memcpy(m->v, y + NQ, sizeof(m->v));
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real y[], size_t n) {
  Model *m = &((Instance *)c)->model;
  if (n != N) return failed((Instance *)c, "wrong number of states");
  memcpy(y, m->q, sizeof(m->q));
  memcpy(y + NQ, m->v, sizeof(m->v));
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rates[], size_t n) {
  Model *m = &((Instance *)c)->model;
  double y[N];
  if (n != N) return failed((Instance *)c, "wrong number of states");
  memcpy(y, m->q, sizeof(m->q));
  memcpy(y + NQ, m->v, sizeof(m->v));
  model_derivatives(m, m->t, y, rates);
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t n) {
  (void)indicators;
  return n == 0 ? fmi2OK : failed((Instance *)c, "there are no event indicators");
}

EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominal[], size_t n) {
  size_t i;
  (void)c;
  for (i = 0; i < n; i++) nominal[i] = 1.0;
  return fmi2OK;
}
