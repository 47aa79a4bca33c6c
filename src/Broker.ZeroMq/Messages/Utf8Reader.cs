using System.Text;

namespace Broker.ZeroMq;

/// <summary>Reads a message of one frame as UTF-8.</summary>
internal struct Utf8Reader : IMessageReader
{
    internal string? Text { get; private set; }

    public bool TryRead(ReadOnlySpan<byte> message, ReceiveSource source)
    {
        ReadOnlySpan<byte> body = EncodedMessage.SplitFrame(message, out bool more, out _);
        more |= source.Prefix is not null;
        Text = more ? null : Encoding.UTF8.GetString(body);
        return !more;
    }
}
