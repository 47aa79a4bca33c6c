using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// The stages that a loop has to hand over, in the order in which that is done: a slice at a time, so that a turn that wrote for
/// very many connections does not keep all others waiting for as many sends. Not thread-safe: the loop's.
/// </summary>
/// <remarks>
/// <para>What answers the connection that is being handled goes first and whole: it is as much as has been read. Then what this turn
/// has written for others, for half of the slice, and what earlier turns have left: so neither waits for all of the other.</para>
/// <para>A stage that waits is written to on, and goes in one send when its turn comes: what is not handed over yet costs no more
/// calls later, but fewer.</para>
/// </remarks>
internal sealed class HandOverList
{
    /// <summary>How much one slice does, in sends; one of 64 KiB counts as two. A send takes some microseconds.</summary>
    internal const int Slice = 64;

    /// <summary>
    /// How much of that it does for each handler that has yielded, where the list is long: whoever is read meanwhile waits for so much less.
    /// </summary>
    internal const int SliceBesideOne = 8;

    private const int BytesPerCount = 16;

    private readonly Queue<OutboundStage> _left = new();
    private OutboundStage[] _answers = new OutboundStage[16];
    private OutboundStage[] _written = new OutboundStage[16];
    private int _answerCount;
    private int _writtenCount;

    /// <summary>How many stages wait.</summary>
    internal int Count => _answerCount + _writtenCount + _left.Count;

    /// <summary>How many stages have been added so far.</summary>
    internal long Added { get; private set; }

    internal void Add(OutboundStage stage, bool isAnswer)
    {
        Added++;
        if (isAnswer)
        {
            Append(ref _answers, ref _answerCount, stage);
        }
        else
        {
            Append(ref _written, ref _writtenCount, stage);
        }
    }

    /// <summary>Puts what was written so far behind what earlier turns have left.</summary>
    internal void PutBehind()
    {
        for (int i = 0; i < _writtenCount; i++)
        {
            _left.Enqueue(_written[i]);
        }

        Array.Clear(_written, 0, _writtenCount);
        _writtenCount = 0;
    }

    /// <summary>
    /// Hands over what <paramref name="budget"/> allows and takes it off that; what is left goes on the list of those that earlier
    /// turns have left.
    /// </summary>
    internal void HandOver(EventLoop loop, ref int budget)
    {
        // What earlier turns have left is not kept waiting by answers, however many there are.
        int ofLeft = budget / 2;
        // By index: handing over can fill other stages, of in-process links.
        for (int i = 0; i < _answerCount; i++)
        {
            budget -= HandOver(loop, _answers[i]);
        }

        Array.Clear(_answers, 0, _answerCount);
        _answerCount = 0;

        int ofThisTurn = _left.Count == 0 ? budget : budget - ofLeft;
        int done = 0;
        for (; done < _writtenCount && ofThisTurn > 0; done++)
        {
            int cost = HandOver(loop, _written[done]);
            ofThisTurn -= cost;
            budget -= cost;
        }

        // Before what this turn adds to it.
        ofLeft = Math.Max(ofLeft, budget);
        for (int left = _left.Count; left > 0 && ofLeft > 0; left--)
        {
            int cost = HandOver(loop, _left.Dequeue());
            ofLeft -= cost;
            budget -= cost;
        }

        for (; done < _writtenCount; done++)
        {
            _left.Enqueue(_written[done]);
        }

        Array.Clear(_written, 0, _writtenCount);
        _writtenCount = 0;
    }

    private static int HandOver(EventLoop loop, OutboundStage stage)
    {
        int cost = 1 + (int)(stage.Length >> BytesPerCount);
        stage.Listed = false;
        try
        {
            stage.Connection.TakeOver(stage, loop);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            Connection failed = stage.Connection;
            failed.Loop.Run(() => failed.Fail(e));
        }

        return cost;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Append(ref OutboundStage[] list, ref int count, OutboundStage stage)
    {
        if (count == list.Length)
        {
            Array.Resize(ref list, count * 2);
        }

        list[count++] = stage;
    }
}
