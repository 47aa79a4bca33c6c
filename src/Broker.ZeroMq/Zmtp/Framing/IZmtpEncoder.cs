namespace Broker.ZeroMq;

/// <summary>
/// A message that can write itself in the encoding of ZMTP. Implement it as a struct, so that its members are called
/// directly and not through the interface.
/// </summary>
public interface IZmtpEncoder
{
    /// <summary>
    /// The size of the whole message with its frame headers, in octets. Each call must return the same value.
    /// </summary>
    int EncodedSize { get; }

    /// <summary>
    /// Writes exactly <see cref="EncodedSize"/> octets: all frames of one message, in the format of <see
    /// cref="ZmtpWriter"/>.
    /// </summary>
    /// <remarks>
    /// The method is called once for each message, or not at all if no peer receives the message. If it throws, no
    /// queue contains any part of the message.
    /// </remarks>
    void Encode(Span<byte> destination);
}
