"""Models made for showing: `sharnir demo` runs one and writes its animation and plot."""

from sharnir.app.demos.cable import CABLE
from sharnir.app.demos.car import CAR
from sharnir.app.demos.demo import Demo
from sharnir.app.demos.deployment import DEPLOYMENT
from sharnir.app.demos.dominoes import DOMINOES
from sharnir.app.demos.elastic_slider_crank import ELASTIC_SLIDER_CRANK
from sharnir.app.demos.engine import ENGINE
from sharnir.app.demos.free_kick import FREE_KICK
from sharnir.app.demos.gymnast import GYMNAST
from sharnir.app.demos.landing_gear import LANDING_GEAR
from sharnir.app.demos.pendulums import DOUBLES, TRIPLE
from sharnir.app.demos.quadruped import QUADRUPED
from sharnir.app.demos.robot_arm import ROBOT_ARM
from sharnir.app.demos.rocket import ROCKET
from sharnir.app.demos.rover import ROVER
from sharnir.app.demos.satellite import SATELLITE
from sharnir.app.demos.shaker import SHAKER
from sharnir.app.demos.slider_crank import SLIDER_CRANK
from sharnir.app.demos.spacecraft import SPACECRAFT
from sharnir.app.demos.spinning import HANDLE, TOP
from sharnir.app.demos.squeezer import SQUEEZER
from sharnir.app.demos.stewart import STEWART

# by name; the first one is shown to those who name none
ALL_DEMOS: dict[str, Demo] = {
    demo.name: demo
    for demo in (
        *(SATELLITE, ROBOT_ARM, QUADRUPED, GYMNAST, CAR, CABLE, DOUBLES, TRIPLE, TOP, HANDLE, SHAKER, FREE_KICK),
        *(ENGINE, STEWART, ROVER, SPACECRAFT, SLIDER_CRANK, SQUEEZER, ELASTIC_SLIDER_CRANK, LANDING_GEAR, ROCKET),
        *(DOMINOES, DEPLOYMENT),
    )
}

__all__ = ["ALL_DEMOS", "Demo"]
