using System.Runtime.CompilerServices;

namespace Broker.Protocol;

/// <summary>The last arguments of a line that announces a payload: <c>[reply] [header-size] size</c>.</summary>
internal readonly struct PayloadSizes
{
    private PayloadSizes(int size, int headerLength, bool hasReply)
    {
        Size = size;
        HeaderLength = headerLength;
        HasReply = hasReply;
    }

    internal int Size { get; }

    /// <summary>The header size that the line announces; -1 if the line has no header size.</summary>
    internal int HeaderLength { get; }

    internal bool HasReply { get; }

    /// <summary>Reads the sizes from a line.</summary>
    /// <param name="start">The first byte of the line.</param>
    /// <param name="scan">The arguments of the line.</param>
    /// <param name="leadingArguments">The number of arguments before the reply and the sizes.</param>
    /// <param name="headers">Whether the line has a header size.</param>
    /// <param name="maxPayload">The largest permitted payload.</param>
    /// <param name="sizes">The sizes.</param>
    /// <param name="error">The error, if the method returns false.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryRead(
        ref byte start, in LineScan scan, int leadingArguments, bool headers, int maxPayload, out PayloadSizes sizes, ref ProtocolError error)
    {
        int fewest = leadingArguments + (headers ? 2 : 1);
        sizes = default;
        if ((uint)(scan.Count - fewest) > 1)
        {
            error = ProtocolError.Malformed;
            return false;
        }

        int last = scan.Count - 1;
        int size = SizeArgument.Parse(ref Unsafe.Add(ref start, scan.Start(last)), scan.Length(last));
        int headerLength = headers
            ? SizeArgument.Parse(ref Unsafe.Add(ref start, scan.Start(last - 1)), scan.Length(last - 1))
            : -1;
        if ((uint)size > (uint)maxPayload || headerLength > size || (headers && headerLength < 0))
        {
            error = size > maxPayload ? ProtocolError.PayloadTooLarge : ProtocolError.Malformed;
            return false;
        }

        sizes = new PayloadSizes(size, headerLength, scan.Count > fewest);
        return true;
    }
}
