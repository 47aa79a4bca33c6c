using Broker.Transport;

namespace Broker.Server;

/// <summary>Waits until all event loops have handled the bytes that they had read, and flushed the results.</summary>
internal static class LoopFlush
{
    /// <summary>
    /// Completes when every loop has handled the bytes that it read before the call, and the resulting messages are in
    /// the queues of their receivers. In each of two rounds, every loop runs a posted action that flushes its write
    /// buffers. In the first round, a loop may write to buffers after the action in the same iteration; the second
    /// round flushes these bytes.
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
                    // The flush at the end of an iteration may leave some buffers unflushed.
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
