namespace Broker.Server;

/// <summary>
/// Closes the clients of a server one by one over some time, so that they do not all reconnect to another server at
/// once.
/// </summary>
internal sealed class LameDuck(ServerCore core)
{
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan MaxInterval = TimeSpan.FromSeconds(1);

    internal async Task RunAsync(TimeSpan duration, TimeSpan gracePeriod, CancellationToken cancellationToken)
    {
        core.IsLameDuck = true;
        core.MarkInfoChanged();
        long begin = core.Time.GetTimestamp();
        core.Log.LameDuck();
        foreach (ClientSession session in core.Sessions)
        {
            session.ResendInfo();
        }

        await WaitAsync(begin, gracePeriod, cancellationToken).ConfigureAwait(false);
        ClientSession[] staying = [.. core.Sessions.Where(s => !s.IsInProcess)];
        if (staying.Length != 0)
        {
            core.Log.ClosingClients(staying.Length);
            TimeSpan each = (duration - gracePeriod) / staying.Length;
            each = each < MaxInterval ? each : MaxInterval;
            for (int i = 0; i < staying.Length; i++)
            {
                await WaitAsync(begin, gracePeriod + (each * (i + 1)), cancellationToken).ConfigureAwait(false);
                staying[i].Channel.Close(ClientChannel.CloseLinger);
            }
        }

        await WaitAsync(begin, TimeSpan.MaxValue, cancellationToken).ConfigureAwait(false);
    }

    // Waits until the time has passed since the beginning, or until no client with a socket is connected.
    private async Task WaitAsync(long begin, TimeSpan until, CancellationToken cancellationToken)
    {
        while (core.Sessions.Any(s => !s.IsInProcess))
        {
            TimeSpan left = until - core.Time.GetElapsedTime(begin);
            if (left <= TimeSpan.Zero)
            {
                return;
            }

            await Task.Delay(left < PollInterval ? left : PollInterval, core.Time, cancellationToken).ConfigureAwait(false);
        }
    }
}
