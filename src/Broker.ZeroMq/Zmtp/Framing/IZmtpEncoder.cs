namespace Broker.ZeroMq.Zmtp.Framing;

/// <summary>A message that can write itself in the encoding of ZMTP. Implement it as a struct, so that the calls are direct.</summary>
public interface IZmtpEncoder
{
    /// <summary>Octets of the whole message with its frame headers; the same at each call.</summary>
    int EncodedSize { get; }

    /// <summary>Writes exactly <see cref="EncodedSize"/> octets: all frames of one message, as <see cref="ZmtpWriter"/> makes them.</summary>
    /// <remarks>Called once per message, and not at all when nobody gets it. What it throws leaves no trace in any queue.</remarks>
    void Encode(Span<byte> destination);
}
