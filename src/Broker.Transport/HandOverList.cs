using System.Runtime.CompilerServices;

namespace Broker.Transport;

/// <summary>
/// The write buffers that a loop has to flush, in the order in which it flushes them. It flushes a limited number at a
/// time, so that an iteration that wrote for very many connections does not delay all others by as many sends. Not
/// thread-safe: only its loop uses it.
/// </summary>
/// <remarks>
/// <para>First come all replies to the connection that is being read; their amount is limited by what was read. Then
/// come buffers that this iteration has written for other connections, for half of the limit, and then buffers that
/// earlier iterations have left. So neither group waits for all of the other.</para>
/// <para>A buffer that waits can be written to further, and its whole content is flushed in one send. So a delayed
/// flush does not cost more system calls later, but fewer.</para>
/// </remarks>
internal sealed class HandOverList
{
    /// <summary>
    /// How many sends one flush makes; a send of 64 KiB counts as two. A send takes some microseconds.
    /// </summary>
    internal const int Slice = 64;

    /// <summary>
    /// How many sends one flush makes for each handler that has yielded, if the list is long. A connection that is
    /// read meanwhile waits less.
    /// </summary>
    internal const int SliceBesideOne = 8;

    private const int BytesPerCount = 16;

    private readonly Queue<OutboundStage> _left = new();
    private OutboundStage[] _answers = new OutboundStage[16];
    private OutboundStage[] _written = new OutboundStage[16];
    private int _answerCount;
    private int _writtenCount;

    /// <summary>How many write buffers wait for their flush.</summary>
    internal int Count => _answerCount + _writtenCount + _left.Count;

    /// <summary>How many write buffers have been added so far.</summary>
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

    /// <summary>
    /// Moves the buffers that this iteration has written behind those that earlier iterations have left.
    /// </summary>
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
    /// Flushes as many buffers as <paramref name="budget"/> allows, and subtracts their sends from it. Buffers that
    /// remain are appended to those that earlier iterations have left.
    /// </summary>
    internal void HandOver(EventLoop loop, ref int budget)
    {
        // Buffers of earlier iterations get half of the budget, however many replies there are.
        int ofLeft = budget / 2;
        // By index: a flush to an in-process link can add buffers to the list.
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

        // Before this iteration appends its remaining buffers.
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
