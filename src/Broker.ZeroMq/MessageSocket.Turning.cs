using System.Runtime.CompilerServices;
using Broker.ZeroMq.Queues;

namespace Broker.ZeroMq;

// A socket whose loop has no thread of its own: who waits for a message turns it.
public abstract partial class MessageSocket
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private TakeOutcome TakeTurning<TReader>(ref TReader reader, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        // Before its thread sleeps: what is looked for may be on its way.
        for (int i = 0; i < Options.Attempts; i++)
        {
            Loop.RunOnce(TimeSpan.Zero);
            var found = _inbound!.TryTake(ref reader);
            if (found != TakeOutcome.Empty)
            {
                return found;
            }
        }

        var patience = new Patience(timeout, Context.Clock);
        while (true)
        {
            int left = patience.Milliseconds;
            Loop.RunOnce(TimeSpan.FromMilliseconds(left));
            var outcome = _inbound!.TryTake(ref reader);
            if (outcome != TakeOutcome.Empty || left == 0)
            {
                return outcome;
            }
        }
    }
}
