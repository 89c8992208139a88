//! Reading and writing of files, one file per format.
