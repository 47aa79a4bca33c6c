using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

// A socket whose loop has no thread of its own: the caller that waits for a message runs the loop's iterations.
public abstract partial class MessageSocket
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private DequeueResult ReceiveDrivingLoop<TReader>(ref TReader reader, TimeSpan timeout)
        where TReader : struct, IMessageReader, allows ref struct
    {
        // Poll before the thread sleeps: the message may be about to arrive.
        for (int i = 0; i < Options.Attempts; i++)
        {
            Loop.RunOnce(TimeSpan.Zero);
            var found = _inbound!.TryTake(ref reader);
            if (found != DequeueResult.Empty)
            {
                return found;
            }
        }

        var deadline = new Deadline(timeout, Context.Clock);
        while (true)
        {
            int left = deadline.Milliseconds;
            Loop.RunOnce(TimeSpan.FromMilliseconds(left));
            var outcome = _inbound!.TryTake(ref reader);
            if (outcome != DequeueResult.Empty || left == 0)
            {
                return outcome;
            }
        }
    }
}
