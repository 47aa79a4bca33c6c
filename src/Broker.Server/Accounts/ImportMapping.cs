using System.Buffers;
using System.Text;
using Broker.Protocol;

namespace Broker.Server;

/// <summary>
/// Maps subjects between two accounts by a remote and a local pattern. Each wildcard of the local pattern stands for a
/// wildcard of the remote pattern, either in order or by a number such as <c>$1</c> or <c>{{wildcard(1)}}</c>.
/// Immutable.
/// </summary>
internal sealed class ImportMapping
{
    private readonly Part[] _remote;
    private readonly Part[] _local;
    private readonly int _captures;

    private ImportMapping(Part[] remote, Part[] local)
    {
        _remote = remote;
        _local = local;
        _captures = remote.Concat(local).Max(p => p.Capture);
        Remote = Pattern(remote);
        Local = Pattern(local);
    }

    /// <summary>The filter of the subjects in the exporting account.</summary>
    internal byte[] Remote { get; }

    /// <summary>The filter of the subjects in the importing account.</summary>
    internal byte[] Local { get; }

    /// <summary>Creates a mapping. Returns null and a problem if the patterns do not fit together.</summary>
    /// <param name="remote">The filter in the exporting account.</param>
    /// <param name="local">The filter in the importing account; it may contain numbers for wildcards.</param>
    /// <param name="isOneWay">
    /// Whether the mapping is used only from local to remote subjects. If true, the local pattern may have more
    /// wildcards than the remote pattern.
    /// </param>
    /// <param name="problem">The reason why the patterns do not fit together; null if they fit together.</param>
    internal static ImportMapping? Create(string remote, string local, bool isOneWay, out string? problem)
    {
        if (Array.Find(local.Split('.'), IsOtherFunction) is { } function)
        {
            problem = $"'{function}' cannot be used in an import, only $1 or {{{{wildcard(1)}}}}";
            return null;
        }

        Part[]? from = Read(remote, numbered: false);
        Part[]? to = Read(local, numbered: true);
        problem = from is null ? $"'{remote}' is not a valid subject"
            : to is null ? $"'{local}' is not a valid subject"
            : from.Any(p => p.IsTail) != to.Any(p => p.IsTail) ? $"only one of '{remote}' and '{local}' ends with '>'"
            : HasOthers(from, to) ? $"'{local}' does not use every wildcard of '{remote}'"
            : !isOneWay && HasOthers(to, from) ? $"'{local}' has more wildcards than '{remote}'"
            : null;
        return problem is null ? new ImportMapping(from!, to!) : null;

        static bool HasOthers(Part[] some, Part[] than)
            => some.Any(p => p.IsCapture && !than.Any(q => q.Capture == p.Capture));
    }

    /// <summary>Maps a remote subject to a local subject. Returns null if the remote pattern does not match.</summary>
    internal byte[]? ToLocal(ReadOnlySpan<byte> subject) => Map(_remote, _local, subject);

    /// <summary>Maps a local subject to a remote subject. Returns null if the local pattern does not match.</summary>
    internal byte[]? ToRemote(ReadOnlySpan<byte> subject) => Map(_local, _remote, subject);

    /// <summary>
    /// Returns the remote filter for the local subjects that both <paramref name="filter"/> and <see cref="Local"/>
    /// match; null if no subject matches both.
    /// </summary>
    internal byte[]? FilterToRemote(ReadOnlySpan<byte> filter)
    {
        byte[][] tokens = Split(filter);
        byte[]?[] captured = new byte[_captures + 1][];
        byte[]? tail = null;
        int at = 0;
        foreach (Part part in _local)
        {
            bool isOpen = at < tokens.Length && IsTail(tokens[at]) && at == tokens.Length - 1;
            if (at >= tokens.Length)
            {
                return null;
            }

            if (part.IsTail)
            {
                tail = Join(tokens.AsSpan(at));
                at = tokens.Length;
                break;
            }

            byte[] token = isOpen ? "*"u8.ToArray() : tokens[at];
            bool fits = part.IsCapture
                ? Narrow(ref captured[part.Capture], token)
                : IsAny(token) || token.AsSpan().SequenceEqual(part.Token);
            if (!fits)
            {
                return null;
            }

            at += isOpen ? 0 : 1;
        }

        bool isDone = at == tokens.Length
            || (at == tokens.Length - 1 && IsTail(tokens[at]) && tokens.Length - 1 < _local.Length);
        return isDone ? Fill(_remote, captured, tail) : null;
    }

    // If a wildcard number occurs twice in the pattern, a literal token is captured rather than a wildcard.
    private static bool Narrow(ref byte[]? captured, byte[] token)
    {
        if (captured is null || IsAny(captured))
        {
            captured = token;
            return true;
        }

        return IsAny(token) || captured.AsSpan().SequenceEqual(token);
    }

    private byte[]? Map(Part[] from, Part[] to, ReadOnlySpan<byte> subject)
    {
        byte[][] tokens = Split(subject);
        byte[]?[] captured = new byte[_captures + 1][];
        byte[]? tail = null;
        int at = 0;
        foreach (Part part in from)
        {
            if (at >= tokens.Length)
            {
                return null;
            }

            if (part.IsTail)
            {
                tail = Join(tokens.AsSpan(at));
                at = tokens.Length;
            }
            else if (!part.IsCapture)
            {
                if (!tokens[at++].AsSpan().SequenceEqual(part.Token))
                {
                    return null;
                }
            }
            else if (captured[part.Capture] is { } known)
            {
                // The tokens of a subject are literals: even a token that looks like a wildcard only equals itself.
                if (!known.AsSpan().SequenceEqual(tokens[at++]))
                {
                    return null;
                }
            }
            else
            {
                captured[part.Capture] = tokens[at++];
            }
        }

        return at == tokens.Length ? Fill(to, captured, tail) : null;
    }

    private static byte[] Fill(Part[] parts, byte[]?[] captured, byte[]? tail)
    {
        var filled = new ArrayBufferWriter<byte>();
        foreach (Part part in parts)
        {
            if (filled.WrittenCount != 0)
            {
                filled.Write("."u8);
            }

            filled.Write(part.IsTail ? tail ?? ">"u8.ToArray()
                : part.IsCapture ? captured[part.Capture] ?? "*"u8.ToArray()
                : part.Token);
        }

        return filled.WrittenSpan.ToArray();
    }

    private static byte[] Pattern(Part[] parts) => Fill(parts, new byte[parts.Max(p => p.Capture) + 1][], null);

    private static Part[]? Read(string text, bool numbered)
    {
        string[] tokens = text.Split('.');
        int[] numbers = Array.ConvertAll(tokens, token => numbered ? TokenParser.WildcardNumber(token) : 0);
        // A token with a number may have spaces between its braces.
        if (!Subject.IsValidFilter(Encoding.UTF8.GetBytes(string.Join('.', tokens.Select((t, i) => numbers[i] == 0 ? t : "*")))))
        {
            return null;
        }

        int stars = 0;
        return
        [
            .. tokens.Select((token, i) => token switch
            {
                "*" => new Part([], ++stars, false),
                ">" => new Part([], 0, true),
                _ when numbers[i] != 0 => new Part([], numbers[i], false),
                _ => new Part(Encoding.UTF8.GetBytes(token), 0, false),
            }),
        ];
    }

    private static bool IsOtherFunction(string token)
        => token.StartsWith("{{", StringComparison.Ordinal) && TokenParser.WildcardNumber(token) == 0;

    private static byte[][] Split(ReadOnlySpan<byte> subject)
    {
        var tokens = new List<byte[]>();
        foreach (ReadOnlySpan<byte> token in new TokenEnumerator(subject))
        {
            tokens.Add(token.ToArray());
        }

        return [.. tokens];
    }

    private static byte[] Join(ReadOnlySpan<byte[]> tokens)
    {
        var joined = new ArrayBufferWriter<byte>();
        foreach (byte[] token in tokens)
        {
            if (joined.WrittenCount != 0)
            {
                joined.Write("."u8);
            }

            joined.Write(token);
        }

        return joined.WrittenSpan.ToArray();
    }

    private static bool IsAny(byte[] token) => token is [Subject.AnyToken];

    private static bool IsTail(byte[] token) => token is [Subject.AnyTail];

    /// <summary>A part of a pattern: a literal token, a wildcard with its number, or the final <c>&gt;</c>.</summary>
    private readonly record struct Part(byte[] Token, int Capture, bool IsTail)
    {
        internal bool IsCapture => Capture != 0;
    }
}
