using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>A message that was encoded before.</summary>
internal readonly ref struct KeptMessage(ReadOnlySpan<byte> encoded) : IZmtpEncoder
{
    private readonly ReadOnlySpan<byte> _encoded = encoded;

    public int EncodedSize => _encoded.Length;

    public void Encode(Span<byte> destination) => _encoded.CopyTo(destination);
}
