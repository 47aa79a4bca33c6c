using System.Buffers;
using System.Text;
using Broker.Protocol;

namespace Broker.Client;

/// <summary>
/// The UTF-8 bytes of a checked string subject, on the caller's stack or in a rented array if the subject is long.
/// </summary>
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
                "A subject must consist of non-empty tokens separated by dots, without white space or wildcards.", parameter);
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

    /// <exception cref="ArgumentException"><paramref name="headers"/> is neither empty nor a header block.</exception>
    internal static void RequireHeaderBlock(ReadOnlySpan<byte> headers)
    {
        if (!headers.IsEmpty && !(headers.StartsWith(HeaderBlock.Version) && headers.EndsWith("\r\n\r\n"u8)))
        {
            throw new ArgumentException("A header block must begin with NATS/1.0 and end with an empty line.", nameof(headers));
        }
    }
}
