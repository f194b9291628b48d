/** Storage optimized families: d, h, i, im and is. The columns are explained in family-table.ts. */
export const STORAGE_OPTIMIZED = `
family  cpu    mhz   sizes                                                                                     gib    usd        eni   network  ebs  branch  efa   nvme    notes
d2      intel  2400  xlarge..8xlarge                                                                           7.625  0.1725     c5    c4       c4   -       -     -       xen,plaintext
d3      intel  3100  xlarge..8xlarge                                                                           8      0.999/8    d3    d3       d3   d3      -     d3      -
d3en    intel  3100  xlarge..4xlarge,6xlarge,8xlarge,12xlarge                                                  4      2.103/16   d3en  d3en     d3   d3en    -     d3en    -
h1      intel  2300  2xlarge..8xlarge,16xlarge                                                                 4      0.0585     h1    r4       h1   -       -     -       xen,plaintext
i2      intel  2500  xlarge..8xlarge                                                                           7.625  0.2132     c5    c3       -    -       -     -       xen,plaintext
i3      intel  2300  large..8xlarge,16xlarge                                                                   7.625  0.078      c5    r4       r4   -       -     i3      xen,plaintext
i3en    intel  3100  large..2xlarge,3xlarge,6xlarge,12xlarge,24xlarge,metal                                    8      0.113      c5    i3en     c5   vt1     i3en  i7ie    -
i4g     aws    2500  large..8xlarge,16xlarge                                                                   8      0.07722    c5    i4g      c6i  c5      c6gn  i7i     -
i4i     intel  3500  large..32xlarge,metal                                                                     8      0.085792   i4i   i4g      c6i  i4i     c6i   i7i     -
i7i     intel  2400  large..24xlarge,48xlarge,metal-24xl,metal-48xl                                            8      9.0605/96  c5    i7i      c6i  i7i     c8g   i7i     -
i7ie    intel  3600  large..2xlarge,3xlarge,6xlarge,12xlarge,18xlarge,24xlarge,48xlarge,metal-24xl,metal-48xl  8      0.12995    i7ie  i7ie     c6i  i7ie    c6a   i7ie    -
i8g     aws    2800  large..24xlarge,48xlarge,metal-24xl,metal-48xl                                            8      0.0858     c5    i8g      c6i  c5      c6a   i7i     -
i8ge    aws    c8g   large..2xlarge,3xlarge,6xlarge,12xlarge,18xlarge,24xlarge,48xlarge,metal-24xl,metal-48xl  8      0.11865    i8ge  i8ge     c6i  i8ge    c6a   i7ie    -
im4gn   aws    2500  large..8xlarge,16xlarge                                                                   4      0.090948   c5    c6in     r5b  c5      c6gn  im4gn   no-enclaves
is4gen  aws    2500  medium..8xlarge                                                                           6      0.144075   c5    c6in     r5b  c5      -     is4gen  no-enclaves
`;

/** What single types have otherwise than their family's row says. */
export const STORAGE_OPTIMIZED_EXCEPTIONS = `
d2.8xlarge       vcpu=36 mib=249856 usd=5.52
d3.xlarge        usd=0.499
i4i.large        usd=0.172
i7i.metal-24xl   usd=9.6204 efa=0
i7i.metal-48xl   usd=19.2408
i7ie.metal-24xl  usd=13.2844
i7ie.metal-48xl  usd=26.5687
i8g.metal-24xl   usd=9.06048
i8g.metal-48xl   usd=18.12096 network=90000
i8ge.metal-24xl  usd=12.1313
i8ge.metal-48xl  usd=24.2626
`;
