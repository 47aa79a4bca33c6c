using System.Text;

namespace Broker.Leaf;

/// <summary>
/// Connects the JetStream subjects of clients here, which know no domain, with those of a remote that stores streams.
/// Immutable, because publishers on all loops use it.
/// </summary>
/// <remarks>
/// The remote announces no interest in <c>$KV.></c> and <c>$OBJ.></c>. With a domain, it maps
/// <c>$JS.DOMAIN.API.$KV.></c> to <c>$KV.></c>, and the other subjects of the domain likewise.
/// </remarks>
internal sealed class JetStreamMapping
{
    private static readonly byte[][] Mapped =
    [
        "INFO"u8.ToArray(), "STREAM."u8.ToArray(), "CONSUMER."u8.ToArray(), "DIRECT."u8.ToArray(), "META."u8.ToArray(),
        "SERVER."u8.ToArray(), "ACCOUNT."u8.ToArray(),
    ];

    // The remote's servers share the answers to direct reads as members of this queue group.
    private static readonly byte[] DirectGroup = "_sys_"u8.ToArray();

    private readonly byte[]? _domainPrefix;

    /// <param name="domain">The remote's domain; empty if it has none.</param>
    internal JetStreamMapping(string domain)
    {
        if (domain.Length == 0)
        {
            Trigger = "$JS.API."u8.ToArray();
            Interest = [("$KV.>"u8.ToArray(), null), ("$OBJ.>"u8.ToArray(), null), ("$JS.API.DIRECT.>"u8.ToArray(), DirectGroup)];
            return;
        }

        _domainPrefix = Encoding.UTF8.GetBytes($"$JS.{domain}.API.");
        Trigger = _domainPrefix;
        Interest =
        [
            .. Mapped.Select(static name => (ApiFilter(name), (byte[]?)null)),
            ("$KV.>"u8.ToArray(), null), ("$OBJ.>"u8.ToArray(), null),
        ];
    }

    /// <summary>The remote has streams for this account if it has interest in a subject with this prefix.</summary>
    internal byte[] Trigger { get; }

    /// <summary>
    /// The filters, with queue groups, that the remote receives although it announces no interest in them.
    /// </summary>
    internal IReadOnlyList<(byte[] Filter, byte[]? QueueGroup)> Interest { get; }

    /// <summary>The largest number of bytes by which a subject grows.</summary>
    internal int MaxGrowth => _domainPrefix?.Length ?? 0;

    /// <summary>The subjects that pass under another name, for permissions; empty without a domain.</summary>
    internal IReadOnlyList<string> RenamedFilters => _domainPrefix is null ? [] : [.. Interest.Select(static i => Encoding.UTF8.GetString(i.Filter))];

    /// <summary>
    /// Writes the name that a subject has at the remote. Returns the length, or 0 if the subject has the same name
    /// there.
    /// </summary>
    internal int Map(ReadOnlySpan<byte> subject, Span<byte> destination)
    {
        ReadOnlySpan<byte> api = "$JS.API."u8;
        if (_domainPrefix is not { } prefix)
        {
            return 0;
        }

        ReadOnlySpan<byte> rest;
        if (subject.StartsWith("$KV."u8) || subject.StartsWith("$OBJ."u8))
        {
            rest = subject;
        }
        else if (subject.StartsWith(api) && IsMapped(subject[api.Length..]))
        {
            rest = subject[api.Length..];
        }
        else
        {
            return 0;
        }

        prefix.CopyTo(destination);
        rest.CopyTo(destination[prefix.Length..]);
        return prefix.Length + rest.Length;
    }

    /// <summary>
    /// Divides the reply subject of a stream's message. A stream adds the subject under which the message was stored,
    /// because the message itself has the subject of the consumer's subscription.
    /// </summary>
    /// <returns>The subject that subscribers see; empty if it is the subject of the message.</returns>
    internal static ReadOnlySpan<byte> TakeStoredSubject(ref ReadOnlySpan<byte> replyTo)
    {
        int at = replyTo.StartsWith("$JS.ACK."u8) ? replyTo.LastIndexOf((byte)'@') : -1;
        if (at < 0 || at == replyTo.Length - 1)
        {
            return default;
        }

        ReadOnlySpan<byte> stored = replyTo[(at + 1)..];
        replyTo = replyTo[..at];
        return stored;
    }

    private static byte[] ApiFilter(byte[] name) => [.. "$JS.API."u8, .. name, .. (name[^1] == (byte)'.' ? ">"u8 : ""u8)];

    private static bool IsMapped(ReadOnlySpan<byte> rest)
    {
        foreach (byte[] name in Mapped)
        {
            if (name[^1] == (byte)'.' ? rest.StartsWith(name) : rest.SequenceEqual(name))
            {
                return true;
            }
        }

        return false;
    }
}
