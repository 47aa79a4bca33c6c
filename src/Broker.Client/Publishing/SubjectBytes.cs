using System.Buffers;
using System.Text;
using Broker.Protocol.Headers;
using Broker.Protocol.Subjects;

namespace Broker.Client.Publishing;

/// <summary>A subject of text as checked bytes: on the caller's stack, or rented when it is long.</summary>
internal readonly ref struct SubjectBytes : IDisposable
{
    internal const int OnStack = 256;

    private readonly byte[]? _rented;

    internal SubjectBytes(string? subject, Span<byte> stack, string parameter)
    {
        if (subject is null)
        {
            return;
        }

        int most = Encoding.UTF8.GetMaxByteCount(subject.Length);
        if (most > stack.Length)
        {
            stack = _rented = ArrayPool<byte>.Shared.Rent(most);
        }

        Span = stack[..Encoding.UTF8.GetBytes(subject, stack)];
        if (!Subject.IsValidLiteral(Span))
        {
            Dispose();
            throw new ArgumentException(
                "A subject consists of tokens separated by dots, none of them empty, without white space or wildcards.", parameter);
        }
    }

    internal ReadOnlySpan<byte> Span { get; }

    public void Dispose()
    {
        if (_rented is not null)
        {
            ArrayPool<byte>.Shared.Return(_rented);
        }
    }

    /// <exception cref="ArgumentException">It is neither empty nor a header block.</exception>
    internal static void RequireHeaderBlock(ReadOnlySpan<byte> headers)
    {
        if (!headers.IsEmpty && !(headers.StartsWith(HeaderBlock.Version) && headers.EndsWith("\r\n\r\n"u8)))
        {
            throw new ArgumentException("A header block begins with NATS/1.0 and ends with an empty line.", nameof(headers));
        }
    }
}
