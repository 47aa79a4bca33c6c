namespace Broker.Bridge.Mapping;

/// <summary>A ZeroMQ message as NATS publishes it.</summary>
/// <remarks>
/// All three spans are borrowed: from the ZeroMQ message, from the scratch memory given to the mapper, or from the
/// mapper itself. They are valid until the first of the former two changes.
/// </remarks>
public readonly ref struct SubjectMessage
{
    internal SubjectMessage(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> payload)
    {
        Subject = subject;
        Headers = headers;
        Payload = payload;
    }

    /// <summary>A literal subject.</summary>
    public ReadOnlySpan<byte> Subject { get; }

    /// <summary>The whole header block, from <c>NATS/1.0</c> to the empty line.</summary>
    public ReadOnlySpan<byte> Headers { get; }

    /// <summary>The payload.</summary>
    public ReadOnlySpan<byte> Payload { get; }
}
