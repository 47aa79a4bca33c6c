using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// A message during its delivery: the parts of a client's publish, or parts that the server has created. All spans are
/// valid until the delivery returns.
/// </summary>
internal readonly ref struct RoutedMessage
{
    internal RoutedMessage(PublishOperation operation)
    {
        Subject = operation.Subject;
        ReplyTo = operation.ReplyTo;
        HeaderLength = operation.HeaderLength;
        Payload = operation.Payload;
        Tail = operation.Tail;
    }

    /// <summary>
    /// Creates a message that was not parsed from received bytes. The server builds the bytes for subscribers from
    /// these parts.
    /// </summary>
    internal RoutedMessage(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, ReadOnlySpan<byte> payload)
        : this(subject, replyTo, headerLength, payload, default)
    {
    }

    /// <summary>Creates a message without reply and headers.</summary>
    internal RoutedMessage(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> tail, ReadOnlySpan<byte> payload)
        : this(subject, default, -1, payload, tail)
    {
    }

    /// <summary>Creates a message from all its parts.</summary>
    internal RoutedMessage(
        ReadOnlySpan<byte> subject, ReadOnlySpan<byte> replyTo, int headerLength, ReadOnlySpan<byte> payload, ReadOnlySpan<byte> tail)
    {
        Subject = subject;
        ReplyTo = replyTo;
        HeaderLength = headerLength;
        Payload = payload;
        Tail = tail;
    }

    internal ReadOnlySpan<byte> Subject { get; }

    internal ReadOnlySpan<byte> ReplyTo { get; }

    /// <inheritdoc cref="PublishOperation.HeaderLength"/>
    internal int HeaderLength { get; }

    internal bool HasHeaders => HeaderLength >= 0;

    internal ReadOnlySpan<byte> Payload { get; }

    /// <inheritdoc cref="PublishOperation.Tail"/>
    internal ReadOnlySpan<byte> Tail { get; }

    /// <summary>Returns the same message with another subject.</summary>
    internal RoutedMessage WithSubject(ReadOnlySpan<byte> subject) => new(subject, ReplyTo, HeaderLength, Payload, Tail);
}
