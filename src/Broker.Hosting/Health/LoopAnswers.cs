using Broker.Transport;

namespace Broker.Hosting;

/// <summary>Asks event loops whether they still turn.</summary>
internal static class LoopAnswers
{
    /// <summary>Asks one after the other, and answers whether all of them run; false at once when one has ended.</summary>
    /// <exception cref="OperationCanceledException">One has not answered in time.</exception>
    public static async Task<bool> AllAsync(EventLoopGroup loops, CancellationToken cancellationToken)
    {
        for (int i = 0; i < loops.Count; i++)
        {
            var answered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            if (!loops[i].TryPost(() => answered.TrySetResult()))
            {
                return false;
            }

            await answered.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        return true;
    }
}
