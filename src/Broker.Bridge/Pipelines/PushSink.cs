using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

/// <summary>The PUSH socket of a route. Used on its loop.</summary>
internal readonly struct PushSink(LoopPush push) : IPipelineSink
{
    public bool TryTake(ReadOnlySpan<byte> body, int frames)
    {
        if (frames == 1)
        {
            return push.TrySend(body);
        }

        var message = new FramedEncoder(body);
        return push.TrySend(ref message);
    }
}
