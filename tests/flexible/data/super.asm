$ SUPER ASSEMBLY FILE FOR RESIDUAL RUN...INCLUDE IN BULK DATA
$
SEBULK       100  EXTOP4          MANUAL                     100
SECONCT      100       0              NO
             101     101     105     105
$
$ COORDINATE SYSTEM DATA
$
$
$ BOUNDARY GRID DATA
$
GRID*                101               0      0.00000000      0.00000000
*             0.00000000               0
GRID*                105               0    400.00000000      0.00000000
*            50.00000000               0
$
SECONCT      100       0              NO
            9001    THRU    9002    9001    THRU    9002
$
SPOINT      9001    THRU    9002
