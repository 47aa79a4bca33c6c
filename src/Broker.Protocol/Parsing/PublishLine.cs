using System.Runtime.CompilerServices;

namespace Broker.Protocol.Parsing;

/// <summary>
/// Where the parts of a publish lie, counted from its first byte. The same for every operation that repeats a line, so that
/// such a one is described by its address alone.
/// </summary>
internal struct PublishLine
{
    internal int SubjectStart;
    internal int SubjectLength;
    internal int ReplyStart;
    internal int ReplyLength;

    /// <summary>-1 when there are no headers.</summary>
    internal int HeaderLength;

    internal int PayloadStart;
    internal int Size;

    /// <summary>Of the whole operation.</summary>
    internal int Length;

    /// <summary>Whether the line has the form that servers send, so that its end can be sent on.</summary>
    internal bool IsCanonical;

    /// <summary>Whether it is canonical, without headers and without a reply.</summary>
    internal bool IsPlain;

    /// <summary>Whether the operation at <paramref name="start"/> has wholly come and ends as it must.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool IsWhole(ref byte start, int remaining)
        => Length <= remaining && OperationFrame.HasEnd(ref start, Length);
}
