// the fake judge needs none
