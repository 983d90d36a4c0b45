"""From core to core: what stands for something longer is written out."""
