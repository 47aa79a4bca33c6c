namespace Broker.ZeroMq;

/// <summary>One frame of a message. It refers to the message's memory.</summary>
public readonly ref struct ZmtpFrame
{
    internal ZmtpFrame(ReadOnlySpan<byte> body, bool more)
    {
        Body = body;
        More = more;
    }

    /// <summary>The body.</summary>
    public ReadOnlySpan<byte> Body { get; }

    /// <summary>Whether further frames of the message follow.</summary>
    public bool More { get; }
}
