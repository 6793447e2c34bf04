"""Published problems and closed forms that the package is held against: each with its tests, or the reason why it has none.

The names are those of the collection from which the numbers come. A test is `file::function`, relative to `tests`.
"""

from __future__ import annotations

PROBLEMS: dict[str, tuple[str, tuple[str, ...]]] = {  # by name: what it is, tests
    "andrews": (
        "Andrews' squeezing mechanism, 7 bodies (IVP test set; IFToMM A03)",
        ("reference/test_andrews.py::test_ten_digits", "reference/test_andrews.py::test_accelerations_and_reactions"),
    ),
    "flexible_slider_crank_simeon": (
        "slider-crank with an elastic rod, all variants (IVP test set)",
        (
            "reference/test_flexible_slider_crank.py::test_digits",
            "reference/test_flexible_slider_crank.py::test_equations_by_hand",
        ),
    ),
    "wheelset": (
        "railway wheelset that hunts (IVP test set)",
        (
            "reference/test_wheelset.py::test_contact_and_accelerations_at_the_start",
            "reference/test_wheelset.py::test_ten_seconds",
        ),
    ),
    "beam_ode_n40": (
        "chain of 40 links (IVP test set)",
        ("reference/test_pendulums.py::test_beam_of_forty_links",),
    ),
    "A01_simple_pendulum": (
        "point on a rod (IFToMM A01)",
        ("reference/test_pendulums.py::test_simple_pendulum", "reference/test_absolute_classics.py::test_simple_pendulum"),
    ),
    "A02_four_bar_N2": ("two four-bars (IFToMM A02)", ("reference/test_loops_four_bars.py::test_two_four_bars",)),
    "A02_four_bar_N40": ("forty four-bars (IFToMM A02)", ("reference/test_loops_four_bars.py::test_forty_four_bars",)),
    "A04_bricard": ("Bricard's mechanism (IFToMM A04)", ("reference/test_loops_one_freedom.py::test_bricard",)),
    "torque_free_top": ("asymmetric top, angular velocity", ("reference/test_tops.py::test_torque_free_asymmetric_top",)),
    "heavy_symmetric_top": (
        "Lagrange's top: nutation, steady precession, sleeping top",
        (
            "reference/test_tops.py::test_lagrange_top",
            "reference/test_tops.py::test_nutation",
            "reference/test_tops.py::test_steady_precession",
            "reference/test_tops.py::test_sleeping_top",
        ),
    ),
    "spherical_pendulum": ("spherical pendulum", ("reference/test_pendulums.py::test_spherical_pendulum",)),
    "chaplygin_sleigh": ("Chaplygin's sleigh", ("reference/test_nonholonomic.py::test_chaplygin_sleigh",)),
    "bouncing_ball": (
        "bouncing ball to Zeno's time",
        ("reference/test_sliding_rolling_bouncing.py::test_zeno_time_of_a_bouncing_ball",),
    ),
    "rolling_incline": (
        "ball, cylinder and hoop on a slope",
        (
            "reference/test_sliding_rolling_bouncing.py::test_rolling_down_a_slope",
            "reference/test_nonholonomic.py::test_rolling_down_an_incline",
        ),
    ),
    "rolling_disc": (
        "critical spins of a disc and a hoop",
        (
            "reference/test_sliding_rolling_bouncing.py::test_spin_at_which_upright_rolling_becomes_stable",
            "reference/test_nonholonomic.py::test_critical_spin_of_a_rolling_disc",
        ),
    ),
    "sliding_block": ("block that slides to rest", ("reference/test_sliding_rolling_bouncing.py::test_a_sliding_block_stops",)),
    "bowling_ball": (
        "ball that slides and begins to roll",
        ("dynamics/contact/test_motions_with_contact.py::test_ball_slides_then_rolls",),
    ),
    "four_bar": (
        "kinematics of a crank-rocker",
        (
            "reference/test_loops_four_bars.py::test_kinematics_tables",
            "reference/test_loops_four_bars.py::test_swing_of_the_rocker",
        ),
    ),
    "slider_crank_kin": (
        "kinematics of a slider-crank",
        ("reference/test_loops_one_freedom.py::test_slider_crank_kinematics",),
    ),
    "traj HEAVYTOP": (
        "heavy top of Brüls and Cardona",
        ("reference/test_tops.py::test_heavy_top", "reference/test_absolute_classics.py::test_heavy_top"),
    ),
    "traj DISC_A r=0.5 m=1 th0=80deg phd0=-6 psid0=0 thd0=0": (
        "rolling disc",
        ("reference/test_nonholonomic.py::test_rolling_disc",),
    ),
    "traj COIN r=0.01 m=1 tilt=1deg omega=10pi about vertical": (
        "rolling coin",
        ("reference/test_nonholonomic.py::test_rolling_coin",),
    ),
    "traj ASYMTOP I=(1,1.6,2.2) w0=(1.2,0,0.9)": (
        "asymmetric top, attitude",
        ("reference/test_tops.py::test_torque_free_asymmetric_top",),
    ),
    "puma560": (
        "Puma 560: inverse and forward dynamics, mass matrix",
        (
            "reference/test_puma560.py::test_gravity_load",
            "reference/test_puma560.py::test_inverse_dynamics",
            "reference/test_puma560.py::test_force_at_the_hand",
            "reference/test_puma560.py::test_mass_matrix",
            "reference/test_puma560.py::test_forward_dynamics_with_motors",
        ),
    ),
    "beam_frequencies": (
        "beams: Euler, Timoshenko, tip mass, rotating, tapered",
        (
            "reference/test_beam_frequencies.py::test_clamped_and_pinned",
            "reference/test_beam_frequencies.py::test_mass_at_the_tip",
            "reference/test_beam_frequencies.py::test_steel_cantilever_in_hertz",
            "reference/test_beam_frequencies.py::test_timoshenko_cantilever",
            "reference/test_beam_frequencies.py::test_timoshenko_beam_on_two_supports",
            "reference/test_rotating_beams.py::test_flapping_and_lagging",
            "flexible/finite_elements/test_beams.py::test_euler_frequencies_converge_with_the_fourth_power",
        ),
    ),
    "craig_bampton": (
        "digits of finite elements and of Craig and Bampton's reduction",
        (
            "reference/test_beam_frequencies.py::test_cubic_elements",
            "reference/test_beam_frequencies.py::test_chain_between_walls",
            "flexible/modes/test_craig_bampton.py::test_reference_numbers_of_a_free_beam",
            "flexible/modes/test_craig_bampton.py::test_reference_numbers_of_a_cantilever",
        ),
    ),
    "elastica_tip_force": ("elastica under a tip force", ("reference/test_large_deflections.py::test_elastica",)),
    "geometrically_exact_statics": (
        "exact rods: 45° bend, Princeton beam, shear, torsion with bending",
        (
            "reference/test_large_deflections.py::test_bend_of_45_degrees",
            "reference/test_large_deflections.py::test_torsion_and_bending_by_a_dead_moment",
            "reference/test_princeton_beam.py::test_exact_rod",
        ),
    ),
    "spin_up_beam": (
        "spin-up of a beam (Simo and Vu-Quoc)",
        ("reference/test_rotating_beams.py::test_spin_up_of_parts_in_a_row", "reference/test_rotating_beams.py::test_spin_up"),
    ),
    "flexible_slider_crank_6mm": (
        "fast slider-crank with a soft rod",
        ("reference/test_flexible_rod_of_parts.py::test_convergence_to_the_exact_rod",),
    ),
    "princeton_published": (
        "Princeton beam, elements of a commercial program",
        ("reference/test_princeton_beam.py::test_published_elements",),
    ),
    "bend45_published": ("45° bend, published tips", ("reference/test_large_deflections.py::test_published_tips_of_the_bend",)),
    "epps_chandra_rotating": (
        "rotor blades with swept tips, measured",
        ("reference/test_swept_rotor.py::test_measured_frequencies",),
    ),
    "nachbagauer_cantilever": (
        "shear-deformable cantilever, published elements",
        (
            "reference/test_large_deflections.py::test_shear_deformable_cantilever",
            "reference/test_large_deflections.py::test_shear_deformable_cantilever_under_a_small_load",
            "reference/test_large_deflections.py::test_torsion_and_bending_by_a_dead_moment",
        ),
    ),
}

WITHOUT_TEST: dict[str, str] = {}  # by name: why
