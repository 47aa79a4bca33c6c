using Broker.Transport;

namespace Broker.Hosting;

/// <summary>Checks whether event loops still run.</summary>
internal static class LoopAnswers
{
    /// <summary>
    /// Posts work to one loop after the other. Returns true if all ran it, and false if a loop has ended.
    /// </summary>
    /// <exception cref="OperationCanceledException">A loop has not answered in time.</exception>
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
