using System.Runtime.CompilerServices;

namespace Broker.Protocol.Parsing;

/// <summary>The end of a line that announces a payload: <c>[reply] [header-size] size</c>.</summary>
internal readonly struct PayloadSizes
{
    private PayloadSizes(int size, int headerLength, bool hasReply)
    {
        Size = size;
        HeaderLength = headerLength;
        HasReply = hasReply;
    }

    internal int Size { get; }

    /// <summary>As the line says it; -1 where it says nothing.</summary>
    internal int HeaderLength { get; }

    internal bool HasReply { get; }

    /// <summary>Reads them, or says what is wrong with them.</summary>
    /// <param name="start">The line's first byte.</param>
    /// <param name="scan">Its arguments.</param>
    /// <param name="others">How many stand before, without a reply.</param>
    /// <param name="headers">Whether the size of headers is one of them.</param>
    /// <param name="most">The largest payload.</param>
    /// <param name="sizes">What was read.</param>
    /// <param name="error">What is wrong, if it fails.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryRead(
        ref byte start, in LineScan scan, int others, bool headers, int most, out PayloadSizes sizes, ref ProtocolError error)
    {
        int fewest = others + (headers ? 2 : 1);
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
        if ((uint)size > (uint)most || headerLength > size || (headers && headerLength < 0))
        {
            error = size > most ? ProtocolError.PayloadTooLarge : ProtocolError.Malformed;
            return false;
        }

        sizes = new PayloadSizes(size, headerLength, scan.Count > fewest);
        return true;
    }
}
