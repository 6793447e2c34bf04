"""How strong the tests are: small wrong changes of the code by seed, and whether the nearest tests find them.

python -m tests.mutation dynamics/contact --count 20 --seed 3                  a room or a file, all functions
python -m tests.mutation dynamics flexible --count 60 --only plain             without kernels
python -m tests.mutation dynamics integrate --only kernel --count 300 --jobs 16 --minutes 7
"""
