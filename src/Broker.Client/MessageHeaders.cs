using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Broker.Protocol.Headers;

namespace Broker.Client;

/// <summary>
/// The headers of a message as names and values, to be made or read. A name may stand several times; names are compared without regard
/// to case and keep the case in which they were given.
/// </summary>
/// <remarks>
/// It goes wherever a header block goes, and is made into one when it does: <c>Publish("a", body, headers: new MessageHeaders { ["Trace"] = "1" })</c>.
/// Programs that forward need none of this, and pass the block on as it came. Not for several threads at a time while it is changed.
/// </remarks>
[SuppressMessage("Naming", "CA1710:Identifiers should have correct suffix", Justification = "The protocol's word.")]
public sealed class MessageHeaders : IReadOnlyCollection<KeyValuePair<string, string>>
{
    private readonly List<KeyValuePair<string, string>> _lines = [];
    private byte[]? _block;

    /// <summary>None so far.</summary>
    public MessageHeaders()
    {
    }

    /// <summary>Reads a block as it came with a message: <c>new MessageHeaders(message.Headers.Span)</c>. Copies what it reads.</summary>
    /// <param name="block">Empty for none.</param>
    /// <exception cref="FormatException">It is no header block.</exception>
    public MessageHeaders(ReadOnlySpan<byte> block)
    {
        if (block.IsEmpty)
        {
            return;
        }

        if (!block.StartsWith(HeaderBlock.Version))
        {
            throw new FormatException("A header block begins with NATS/1.0.");
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
            if (colon < 1)
            {
                throw new FormatException("A line of a header block is a name, a colon and a value.");
            }

            _lines.Add(new(Encoding.UTF8.GetString(line[..colon]), Encoding.UTF8.GetString(line[(colon + 1)..].Trim(" \t"u8))));
        }
    }

    /// <summary>The status that a server puts behind the version, as 503; 0 when there is none. It is not written.</summary>
    public int Status { get; }

    /// <summary>How many lines there are.</summary>
    public int Count => _lines.Count;

    /// <summary>The first value of a name, or null; set, it replaces all of them, and null removes them.</summary>
    /// <exception cref="ArgumentException">As <see cref="Add"/>.</exception>
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

    /// <summary>Adds a line, behind those that bear the name already.</summary>
    /// <param name="name">Printable ASCII without a colon.</param>
    /// <param name="value">Any text of one line. White space around it does not arrive.</param>
    /// <exception cref="ArgumentException">The name is none, or the value has a line end.</exception>
    public void Add(string name, string value)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(value);
        if (name.AsSpan().ContainsAnyExceptInRange('!', '~') || name.Contains(':', StringComparison.Ordinal))
        {
            throw new ArgumentException("The name of a header is of printable ASCII, without spaces and colons.", nameof(name));
        }

        if (value.AsSpan().ContainsAny('\r', '\n'))
        {
            throw new ArgumentException($"The value of the header '{name}' has a line end.", nameof(value));
        }

        _lines.Add(new(name, value));
        _block = null;
    }

    /// <summary>All values of a name, in order.</summary>
    public IEnumerable<string> GetAll(string name) => _lines.Where(line => IsName(line.Key, name)).Select(line => line.Value);

    /// <summary>Removes all values of a name. False when there were none.</summary>
    public bool Remove(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        _block = null;
        return _lines.RemoveAll(line => IsName(line.Key, name)) != 0;
    }

    /// <summary>The block that is sent; empty when there are no lines. Made once for as long as nothing changes.</summary>
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

    /// <summary>As <see cref="ToBlock"/>; nothing for null.</summary>
    public static implicit operator ReadOnlyMemory<byte>(MessageHeaders? headers) => headers is null ? default : headers.ToBlock();

    /// <summary>As <see cref="ToBlock"/>; nothing for null.</summary>
    public static implicit operator ReadOnlySpan<byte>(MessageHeaders? headers) => headers is null ? default : headers.ToBlock().Span;

    private static bool IsName(string one, string other) => string.Equals(one, other, StringComparison.OrdinalIgnoreCase);

    // Behind the end of the first line.
    private static int LineEnd(ReadOnlySpan<byte> text)
    {
        int end = text.IndexOf((byte)'\n');
        return end < 0 ? text.Length : end + 1;
    }
}
