using System.Buffers;
using System.Globalization;
using System.Text;
using Broker.Protocol.Subjects;

namespace Broker.Server.Accounts;

/// <summary>
/// What subjects of one account are called in another: two patterns whose wildcards stand for each other, those of the local
/// one by their order or as <c>$1</c>, <c>$2</c> by number. Immutable.
/// </summary>
internal sealed class SubjectMapping
{
    private readonly Part[] _remote;
    private readonly Part[] _local;
    private readonly int _captures;

    private SubjectMapping(Part[] remote, Part[] local)
    {
        _remote = remote;
        _local = local;
        _captures = remote.Concat(local).Max(p => p.Capture);
        Remote = Pattern(remote);
        Local = Pattern(local);
    }

    /// <summary>The filter of the subjects in the account they come from.</summary>
    internal byte[] Remote { get; }

    /// <summary>The filter of what they are called here.</summary>
    internal byte[] Local { get; }

    /// <summary>Null with a reason when the two do not belong together.</summary>
    /// <param name="remote">A filter.</param>
    /// <param name="local">A filter, or one with numbers for wildcards.</param>
    /// <param name="isOneWay">Whether only local subjects are mapped to remote ones: then the local one may have more wildcards.</param>
    /// <param name="problem">Why not.</param>
    internal static SubjectMapping? Create(string remote, string local, bool isOneWay, out string? problem)
    {
        Part[]? from = Read(remote, numbered: false);
        Part[]? to = Read(local, numbered: true);
        problem = from is null ? $"'{remote}' is no subject"
            : to is null ? $"'{local}' is no subject"
            : from.Any(p => p.IsTail) != to.Any(p => p.IsTail) ? $"only one of '{remote}' and '{local}' ends with '>'"
            : from.Any(p => p.IsCapture && !to.Any(q => q.Capture == p.Capture)) ? $"'{local}' does not use every wildcard of '{remote}'"
            : !isOneWay && to.Any(p => p.IsCapture && !from.Any(q => q.Capture == p.Capture)) ? $"'{local}' has more wildcards than '{remote}'"
            : null;
        return problem is null ? new SubjectMapping(from!, to!) : null;
    }

    /// <summary>What a remote subject is called here; null when it is none of these.</summary>
    internal byte[]? ToLocal(ReadOnlySpan<byte> subject) => Map(_remote, _local, subject);

    /// <summary>What a local subject is called there; null when it is none of these.</summary>
    internal byte[]? ToRemote(ReadOnlySpan<byte> subject) => Map(_local, _remote, subject);

    /// <summary>The remote filter of what a local filter and <see cref="Local"/> both match; null when there is nothing.</summary>
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
            if (!part.IsCapture ? !(IsAny(token) || token.AsSpan().SequenceEqual(part.Token)) : !Narrow(ref captured[part.Capture], token))
            {
                return null;
            }

            at += isOpen ? 0 : 1;
        }

        bool isDone = at == tokens.Length || (at == tokens.Length - 1 && IsTail(tokens[at]) && tokens.Length - 1 < _local.Length);
        return isDone ? Fill(_remote, captured, tail) : null;
    }

    // A part that stands twice in the pattern is the narrower of the two.
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
                // A literal: even one that looks like a wildcard is only equal to itself.
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

            filled.Write(part.IsTail ? tail ?? ">"u8.ToArray() : part.IsCapture ? captured[part.Capture] ?? "*"u8.ToArray() : part.Token);
        }

        return filled.WrittenSpan.ToArray();
    }

    private static byte[] Pattern(Part[] parts) => Fill(parts, new byte[parts.Max(p => p.Capture) + 1][], null);

    private static Part[]? Read(string text, bool numbered)
    {
        if (!Subject.IsValidFilter(Encoding.UTF8.GetBytes(text)))
        {
            return null;
        }

        int stars = 0;
        return Array.ConvertAll(text.Split('.'), token => token switch
        {
            "*" => new Part([], ++stars, false),
            ">" => new Part([], 0, true),
            ['$', .. var digits] when numbered && int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
                && number is > 0 and < 256 => new Part([], number, false),
            _ => new Part(Encoding.UTF8.GetBytes(token), 0, false),
        });
    }

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

    /// <summary>A token, a wildcard with its number, or the tail.</summary>
    private readonly record struct Part(byte[] Token, int Capture, bool IsTail)
    {
        internal bool IsCapture => Capture != 0;
    }
}
