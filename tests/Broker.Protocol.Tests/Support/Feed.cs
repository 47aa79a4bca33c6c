namespace Broker.Protocol.Tests.Support;

/// <summary>
/// Gives a stream to a parser in parts, as a connection does: unconsumed bytes are passed again, followed by new ones.
/// Checks the rules for every call.
/// </summary>
internal sealed class Feed : IDisposable
{
    private const int LongestVerb = 8;

    private readonly GuardedMemory _memory = new(256 * 1024);

    internal Outcome Client(ReadOnlySpan<byte> stream, ParserLimits limits, params ReadOnlySpan<int> cuts)
    {
        var events = new List<string>();
        var recorder = new ClientRecorder(events);
        var parser = new ClientOperationParser(limits);
        ProtocolError error = ProtocolError.None;
        int consumed = 0;
        for (int i = 0; i <= cuts.Length && error == ProtocolError.None; i++)
        {
            int end = i < cuts.Length ? cuts[i] : stream.Length;
            int needed = 0;
            int before = events.Count;
            int taken = parser.Parse(_memory.Place(stream[consumed..end], default), ref recorder, ref needed, out error);
            Check(taken, end - consumed, needed, limits, error, events.Count - before);
            consumed += taken;
        }

        return new Outcome(events, error, stream.Length - consumed, recorder.Repeats);
    }

    internal Outcome Server(ReadOnlySpan<byte> stream, ParserLimits limits, params ReadOnlySpan<int> cuts)
    {
        var events = new List<string>();
        var recorder = new ServerRecorder(events);
        var parser = new ServerOperationParser(limits);
        ProtocolError error = ProtocolError.None;
        int consumed = 0;
        for (int i = 0; i <= cuts.Length && error == ProtocolError.None; i++)
        {
            int end = i < cuts.Length ? cuts[i] : stream.Length;
            int needed = 0;
            int before = events.Count;
            int taken = parser.Parse(_memory.Place(stream[consumed..end], default), ref recorder, ref needed, out error);
            Check(taken, end - consumed, needed, limits, error, events.Count - before);
            consumed += taken;
        }

        return new Outcome(events, error, stream.Length - consumed, recorder.Repeats);
    }

    public void Dispose() => _memory.Dispose();

    private static void Check(int taken, int given, int needed, ParserLimits limits, ProtocolError error, int operations)
    {
        Assert.InRange(taken, 0, given);
        Assert.Equal(taken > 0, operations > 0);
        int most = LongestVerb + limits.MaxControlLine + 2 + limits.MaxPayload + 2;
        if (error == ProtocolError.None)
        {
            // The unconsumed bytes are limited, and the parser needs more bytes than there are.
            Assert.InRange(given - taken, 0, most - 1);
            Assert.True(needed == 0 || (needed > given - taken && needed <= most), $"{needed} needed of {given - taken}");
        }
        else
        {
            Assert.Equal(0, needed);
        }
    }
}
