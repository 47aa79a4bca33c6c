namespace Broker.Client.Streams;

/// <summary>How a stream compresses its files.</summary>
public enum StreamCompression
{
    /// <summary>Not at all.</summary>
    None,

    /// <summary>By S2, a fast variant of Snappy.</summary>
    S2,

    /// <summary>A value of a newer server. It cannot be sent.</summary>
    Other,
}
