using System.Text;
using Broker.Protocol;

namespace Broker.Client;

/// <summary>
/// The headers of a received <see cref="Message"/>. A value is read from the received bytes when it is asked for. The
/// bytes belong to the message, so they stay valid for as long as the program keeps it.
/// </summary>
/// <remarks>
/// It converts to the block of bytes wherever a header block is expected, so it can be passed on unchanged:
/// <c>nats.Publish("copy", message.Body.Span, headers: message.Headers)</c>. <see cref="MessageHeaders"/> is the form
/// for writing.
/// </remarks>
/// <example>
/// <code>
/// nats.Subscribe("orders.>", message => Console.WriteLine(message.Headers["Trace-Id"] ?? "no trace"));
/// </code>
/// </example>
public readonly struct ReceivedHeaders
{
    private const int OnStack = 128;

    private readonly ReadOnlyMemory<byte> _block;

    internal ReceivedHeaders(ReadOnlyMemory<byte> block) => _block = block;

    /// <summary>The header block as bytes, from <c>NATS/1.0</c> to its empty line.</summary>
    public ReadOnlySpan<byte> Span => _block.Span;

    /// <summary>The length of the header block in bytes. 0 if the message has no headers.</summary>
    public int Length => _block.Length;

    /// <summary>Whether the message has no headers.</summary>
    public bool IsEmpty => _block.IsEmpty;

    /// <summary>The status code that a server has put after the version, such as 503. 0 if there is none.</summary>
    public int Status => HeaderBlock.Status(Span);

    /// <summary>
    /// The first value of a name, without regard to case. Null if no header has this name. Each call creates a new
    /// string.
    /// </summary>
    public string? this[string name]
    {
        get
        {
            ArgumentNullException.ThrowIfNull(name);
            Span<byte> stack = stackalloc byte[OnStack];
            ReadOnlySpan<byte> bytes = Encoding.UTF8.TryGetBytes(name, stack, out int length) ? stack[..length] : Encoding.UTF8.GetBytes(name);
            return HeaderBlock.TryGet(Span, bytes, out ReadOnlySpan<byte> value) ? Encoding.UTF8.GetString(value) : null;
        }
    }

    /// <summary>Returns all values of a name, in order.</summary>
    public IEnumerable<string> GetAll(string name) => new MessageHeaders(Span).GetAll(name);

    /// <summary>Enumerates names and values: <c>foreach ((string name, string value) in message.Headers)</c>.</summary>
    /// <exception cref="FormatException">The block does not begin with <c>NATS/1.0</c>.</exception>
    public IEnumerator<KeyValuePair<string, string>> GetEnumerator() => new MessageHeaders(Span).GetEnumerator();

    /// <summary>Returns a copy of the header block.</summary>
    public byte[] ToArray() => _block.ToArray();

    /// <summary>Returns the header block as bytes. They are not copied.</summary>
    public ReadOnlyMemory<byte> ToBlock() => _block;

    /// <summary>Converts to the header block with <see cref="ToBlock"/>.</summary>
    public static implicit operator ReadOnlyMemory<byte>(ReceivedHeaders headers) => headers._block;

    /// <summary>Converts to the header block as <see cref="Span"/>.</summary>
    public static implicit operator ReadOnlySpan<byte>(ReceivedHeaders headers) => headers.Span;
}
