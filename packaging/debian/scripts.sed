# Puts the loops over the persons' daemons into the maintainer scripts.
/^#RESTART-FOR-USERS#$/ {
	r debian/restart-for-users
	d
}
/^#STOP-FOR-USERS#$/ {
	r debian/stop-for-users
	d
}
