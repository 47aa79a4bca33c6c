using System.Text;

namespace Broker.Client;

/// <summary>
/// The body of a message to send: bytes, or text that is written as UTF-8 directly into the outbound buffer.
/// </summary>
internal readonly ref struct OutboundBody
{
    private readonly ReadOnlySpan<byte> _bytes;
    private readonly ReadOnlySpan<char> _text;

    internal OutboundBody(ReadOnlySpan<byte> bytes)
    {
        _bytes = bytes;
        Length = bytes.Length;
    }

    /// <exception cref="ArgumentNullException"><paramref name="text"/> is null.</exception>
    internal OutboundBody(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        _text = text;
        Length = Encoding.UTF8.GetByteCount(text);
    }

    /// <summary>The length of the body on the wire, in bytes.</summary>
    internal int Length { get; }

    public static implicit operator OutboundBody(ReadOnlySpan<byte> bytes) => new(bytes);

    /// <summary>Writes the body to the beginning of <paramref name="destination"/>.</summary>
    internal void WriteTo(Span<byte> destination)
    {
        if (_text.IsEmpty)
        {
            _bytes.CopyTo(destination);
        }
        else
        {
            Encoding.UTF8.GetBytes(_text, destination);
        }
    }

    /// <summary>Returns a copy for a message that must wait.</summary>
    internal byte[] ToArray()
    {
        if (Length == 0)
        {
            return [];
        }

        byte[] copy = GC.AllocateUninitializedArray<byte>(Length);
        WriteTo(copy);
        return copy;
    }
}
