using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Broker.Protocol;

namespace Broker.Client;

/// <summary>
/// The headers of a message as names and values, for writing and reading. A name may occur several times. Names are
/// compared without regard to case, and they keep the case in which they were added.
/// </summary>
/// <remarks>
/// An instance converts to a header block wherever a header block is expected:
/// <c>Publish("a", body, headers: new MessageHeaders { ["Trace"] = "1" })</c>. Programs that forward messages do not
/// need this type, because they can pass on the block that they received. An instance must not be used by several
/// threads while one of them changes it.
/// </remarks>
/// <example>
/// <code>
/// nats.Publish("orders", "tea", headers: new MessageHeaders { ["Trace-Id"] = "42" });
/// </code>
/// </example>
[SuppressMessage("Naming", "CA1710:Identifiers should have correct suffix", Justification = "The protocol's word.")]
public sealed class MessageHeaders : IReadOnlyCollection<KeyValuePair<string, string>>
{
    private readonly List<KeyValuePair<string, string>> _lines = [];
    private byte[]? _block;

    /// <summary>Creates an empty set of headers.</summary>
    public MessageHeaders()
    {
    }

    /// <summary>
    /// Reads and copies the header block of a received message: <c>new MessageHeaders(message.Headers.Span)</c>.
    /// </summary>
    /// <param name="block">The header block. Empty for no headers. A line without a name or without a colon, and a line
    /// that begins with white space, are left out.</param>
    /// <exception cref="FormatException"><paramref name="block"/> does not begin with <c>NATS/1.0</c>.</exception>
    public MessageHeaders(ReadOnlySpan<byte> block)
    {
        if (block.IsEmpty)
        {
            return;
        }

        if (!block.StartsWith(HeaderBlock.Version))
        {
            throw new FormatException("A header block must begin with NATS/1.0.");
        }

        Status = HeaderBlock.Status(block);
        int at = LineEnd(block);
        while (at < block.Length)
        {
            ReadOnlySpan<byte> rest = block[at..];
            int end = LineEnd(rest);
            ReadOnlySpan<byte> line = rest[..end].TrimEnd("\r\n"u8);
            at += end;
            if (line.IsEmpty)
            {
                return;
            }

            int colon = line.IndexOf((byte)':');
            // This line has no name and value, or it continues the line before it. The other lines are still readable.
            if (colon < 1 || line[0] is (byte)' ' or (byte)'\t')
            {
                continue;
            }

            _lines.Add(new(Encoding.UTF8.GetString(line[..colon]), Encoding.UTF8.GetString(line[(colon + 1)..].Trim(" \t"u8))));
        }
    }

    /// <summary>
    /// The status code that a server has put after the version, such as 503. 0 if there is none. <see cref="ToBlock"/>
    /// does not write it.
    /// </summary>
    public int Status { get; }

    /// <summary>The number of header lines.</summary>
    public int Count => _lines.Count;

    /// <summary>
    /// The first value of a name, or null. Setting it replaces all values of the name. Setting null removes them.
    /// </summary>
    /// <exception cref="ArgumentException">The name or the value is not valid for <see cref="Add"/>.</exception>
    public string? this[string name]
    {
        get
        {
            int at = _lines.FindIndex(line => IsName(line.Key, name));
            return at < 0 ? null : _lines[at].Value;
        }

        set
        {
            Remove(name);
            if (value is not null)
            {
                Add(name, value);
            }
        }
    }

    /// <summary>Adds a line after the existing lines of the same name.</summary>
    /// <param name="name">Printable ASCII characters without space and colon.</param>
    /// <param name="value">Any text of one line. White space at its beginning and end is not preserved.</param>
    /// <exception cref="ArgumentException">The name is not valid, or the value contains a line end.</exception>
    public void Add(string name, string value)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(value);
        if (name.AsSpan().ContainsAnyExceptInRange('!', '~') || name.Contains(':', StringComparison.Ordinal))
        {
            throw new ArgumentException("The name of a header must consist of printable ASCII characters without spaces and colons.", nameof(name));
        }

        if (value.AsSpan().ContainsAny('\r', '\n'))
        {
            throw new ArgumentException($"The value of the header '{name}' must not contain a line end.", nameof(value));
        }

        _lines.Add(new(name, value));
        _block = null;
    }

    /// <summary>Returns all values of a name, in order.</summary>
    public IEnumerable<string> GetAll(string name) => _lines.Where(line => IsName(line.Key, name)).Select(line => line.Value);

    /// <summary>Removes all values of a name. Returns false if there were none.</summary>
    public bool Remove(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        _block = null;
        return _lines.RemoveAll(line => IsName(line.Key, name)) != 0;
    }

    /// <summary>
    /// Returns the header block to send. It is empty if there are no lines. The block is cached until the headers
    /// change.
    /// </summary>
    public ReadOnlyMemory<byte> ToBlock()
    {
        if (_lines.Count == 0)
        {
            return default;
        }

        if (_block is null)
        {
            var text = new StringBuilder("NATS/1.0\r\n");
            foreach ((string name, string value) in _lines)
            {
                text.Append(name).Append(": ").Append(value).Append("\r\n");
            }

            _block = Encoding.UTF8.GetBytes(text.Append("\r\n").ToString());
        }

        return _block;
    }

    /// <inheritdoc/>
    public IEnumerator<KeyValuePair<string, string>> GetEnumerator() => _lines.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Converts headers to a header block with <see cref="ToBlock"/>. Null becomes an empty block.</summary>
    public static implicit operator ReadOnlyMemory<byte>(MessageHeaders? headers) => headers is null ? default : headers.ToBlock();

    /// <summary>Converts headers to a header block with <see cref="ToBlock"/>. Null becomes an empty block.</summary>
    public static implicit operator ReadOnlySpan<byte>(MessageHeaders? headers) => headers is null ? default : headers.ToBlock().Span;

    private static bool IsName(string one, string other) => string.Equals(one, other, StringComparison.OrdinalIgnoreCase);

    // Returns the position after the end of the first line.
    private static int LineEnd(ReadOnlySpan<byte> text)
    {
        int end = text.IndexOf((byte)'\n');
        return end < 0 ? text.Length : end + 1;
    }
}
