namespace Broker.Bridge;

/// <summary>A ZeroMQ message in the form in which it is published to NATS.</summary>
/// <remarks>
/// The spans refer to the memory of the ZeroMQ message, of the caller's scratch memory or of the mapper. They are valid
/// until the ZeroMQ message or the scratch memory changes.
/// </remarks>
public readonly ref struct SubjectMessage
{
    internal SubjectMessage(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> payload)
    {
        Subject = subject;
        Headers = headers;
        Payload = payload;
    }

    /// <summary>The subject, without wildcards.</summary>
    public ReadOnlySpan<byte> Subject { get; }

    /// <summary>The whole header block, from <c>NATS/1.0</c> to the empty line.</summary>
    public ReadOnlySpan<byte> Headers { get; }

    /// <summary>The payload.</summary>
    public ReadOnlySpan<byte> Payload { get; }
}
