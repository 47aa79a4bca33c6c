namespace NetMQ;

/// <summary>The order of the bytes of a number.</summary>
public enum Endianness
{
    /// <summary>The most significant byte first.</summary>
    Big = 0,

    /// <summary>The least significant byte first.</summary>
    Little = 1,
}
