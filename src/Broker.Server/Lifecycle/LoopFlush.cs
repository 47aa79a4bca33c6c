using Broker.Transport;

namespace Broker.Server;

/// <summary>Waits until all event loops have flushed what they had read and buffered before.</summary>
internal static class LoopFlush
{
    /// <summary>
    /// Completes when no loop handles bytes that it read before the call, and everything that was read is in the queues
    /// of its receivers. There are two rounds: bytes that a loop buffers in the iteration of the first round, after the
    /// posted action, are flushed in the second round.
    /// </summary>
    /// <param name="loops">The event loops.</param>
    /// <param name="timeout">
    /// The maximum time to wait in each round, because a stopped loop runs no posted action.
    /// </param>
    internal static async Task RunAsync(EventLoopGroup loops, TimeSpan timeout)
    {
        for (int round = 0; round < 2; round++)
        {
            var rounds = new List<Task>(loops.Count);
            for (int i = 0; i < loops.Count; i++)
            {
                var passed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                EventLoop loop = loops[i];
                loop.Post(() =>
                {
                    // The end of an iteration may flush only a part of the buffers.
                    while (loop.FlushBacklog > 0)
                    {
                        loop.FlushWriteBuffers();
                    }

                    passed.SetResult();
                });
                rounds.Add(passed.Task);
            }

            // A loop that its owner has stopped runs no posted action, so the wait has a limit.
            await Task.WhenAny(Task.WhenAll(rounds), Task.Delay(timeout, CancellationToken.None))
                .ConfigureAwait(false);
        }
    }
}
