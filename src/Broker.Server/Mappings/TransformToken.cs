using Broker.Protocol;

namespace Broker.Server;

/// <summary>A token of a mapping's destination.</summary>
/// <param name="Function">What the token writes.</param>
/// <param name="Text">The literal, or the text at which <see cref="TokenFunction.Split"/> splits.</param>
/// <param name="Number">The limit or the length of the function.</param>
/// <param name="Sources">The positions of the tokens of the published subject that this token refers to.</param>
internal sealed record TransformToken(TokenFunction Function, byte[] Text, int Number, int[] Sources)
{
    // FNV-1a of 32 bits, as in nats-server. So a message has the same partition at this server and at nats-server.
    private const uint FnvOffset = 2_166_136_261;
    private const uint FnvPrime = 16_777_619;

    internal static TransformToken Tail(int source) => new(TokenFunction.Tail, [], 0, [source]);

    /// <summary>Appends the text that the token stands for.</summary>
    internal void Write(ReadOnlySpan<byte> subject, SubjectBuffer to)
    {
        switch (Function)
        {
            case TokenFunction.Literal:
                to.Write(Text);
                break;
            case TokenFunction.Wildcard:
                to.Write(Token(subject, Sources[0]));
                break;
            case TokenFunction.Tail:
                to.Write(From(subject, Sources[0]));
                break;
            case TokenFunction.Partition:
                to.Write(Hash(subject) % (uint)Number);
                break;
            case TokenFunction.Random:
                to.Write((uint)Random.Shared.Next(Number));
                break;
            case TokenFunction.Split:
                Split(Token(subject, Sources[0]), to);
                break;
            default:
                WritePart(Token(subject, Sources[0]), to);
                break;
        }
    }

    // A token that is not longer than the given length stays whole.
    private void WritePart(ReadOnlySpan<byte> token, SubjectBuffer to)
    {
        if (Number == 0 || token.Length <= Number)
        {
            to.Write(token);
            return;
        }

        switch (Function)
        {
            case TokenFunction.Left:
                to.Write(token[..Number]);
                break;
            case TokenFunction.Right:
                to.Write(token[^Number..]);
                break;
            case TokenFunction.SplitFromLeft:
                Join(token[..Number], token[Number..], to);
                break;
            case TokenFunction.SplitFromRight:
                Join(token[..^Number], token[^Number..], to);
                break;
            case TokenFunction.SliceFromLeft:
                Slice(token, Number, to);
                break;
            default:
                int first = token.Length % Number;
                Slice(token, first == 0 ? Number : first, to);
                break;
        }
    }

    private void Slice(ReadOnlySpan<byte> token, int first, SubjectBuffer to)
    {
        to.Write(token[..first]);
        for (int at = first; at < token.Length; at += Number)
        {
            to.Write(Subject.Separator);
            to.Write(token.Slice(at, Math.Min(Number, token.Length - at)));
        }
    }

    // Empty parts are left out.
    private void Split(ReadOnlySpan<byte> token, SubjectBuffer to)
    {
        bool isFirst = true;
        while (true)
        {
            int end = token.IndexOf(Text);
            ReadOnlySpan<byte> part = end < 0 ? token : token[..end];
            if (!part.IsEmpty)
            {
                if (!isFirst)
                {
                    to.Write(Subject.Separator);
                }

                to.Write(part);
                isFirst = false;
            }

            if (end < 0)
            {
                return;
            }

            token = token[(end + Text.Length)..];
        }
    }

    private uint Hash(ReadOnlySpan<byte> subject)
    {
        uint hash = FnvOffset;
        if (Sources.Length == 0)
        {
            return Hash(subject, hash);
        }

        foreach (int source in Sources)
        {
            hash = Hash(Token(subject, source), hash);
        }

        return hash;
    }

    private static uint Hash(ReadOnlySpan<byte> bytes, uint hash)
    {
        foreach (byte value in bytes)
        {
            hash = unchecked((hash ^ value) * FnvPrime);
        }

        return hash;
    }

    private static void Join(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other, SubjectBuffer to)
    {
        to.Write(one);
        to.Write(Subject.Separator);
        to.Write(other);
    }

    private static ReadOnlySpan<byte> Token(ReadOnlySpan<byte> subject, int at)
    {
        ReadOnlySpan<byte> rest = From(subject, at);
        int end = rest.IndexOf(Subject.Separator);
        return end < 0 ? rest : rest[..end];
    }

    private static ReadOnlySpan<byte> From(ReadOnlySpan<byte> subject, int at)
    {
        for (; at > 0; at--)
        {
            subject = subject[(subject.IndexOf(Subject.Separator) + 1)..];
        }

        return subject;
    }
}
