using System.Runtime.CompilerServices;

namespace Broker.Protocol;

/// <summary>
/// The offsets and lengths of the parts of a publish, counted from its first byte. They are the same for every
/// operation that repeats the line. So together with this struct, the address of a repeated operation describes the
/// operation.
/// </summary>
internal struct PublishLine
{
    internal int SubjectStart;
    internal int SubjectLength;
    internal int ReplyStart;
    internal int ReplyLength;

    /// <summary>The length of the header block; -1 if there are no headers.</summary>
    internal int HeaderLength;

    internal int PayloadStart;
    internal int Size;

    /// <summary>The length of the whole operation, payload and final CR LF included.</summary>
    internal int Length;

    /// <summary>
    /// Whether the line has the form that servers send. In this case, the server can pass the end of the line on
    /// unchanged.
    /// </summary>
    internal bool IsCanonical;

    /// <summary>Whether the line is canonical and has neither headers nor a reply.</summary>
    internal bool IsPlain;

    /// <summary>
    /// Whether the whole operation at <paramref name="start"/> has arrived and its payload ends with CR LF.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool IsComplete(ref byte start, int remaining)
        => Length <= remaining && OperationParsing.EndsWithCrLf(ref start, Length);
}
