namespace Broker.Server;

/// <summary>Executes the system requests that change something, as nats-server 2.15 does.</summary>
internal sealed class RequestActions(ServerCore core, SystemJson json)
{
    // Later requests of the system account wait until a reload has ended, so the time has a limit.
    private static readonly TimeSpan ReloadTimeout = TimeSpan.FromSeconds(30);

    /// <summary>Whether a request of this kind changes something.</summary>
    internal static bool Knows(string kind) => kind is "KICK" or "LDM" or "RELOAD";

    /// <summary>
    /// Executes a request. As in nats-server, a request about a client is ignored if its body is not valid.
    /// </summary>
    internal async Task<byte[]?> RunAsync(ReceivedRequest request)
    {
        if (request.Kind is "RELOAD")
        {
            return await ReloadAsync().ConfigureAwait(false);
        }

        if (request.Body.Length == 0)
        {
            return null;
        }

        ulong id;
        try
        {
            id = RequestOptions.Parse(request.Body).Id("cid");
        }
        catch (RequestException)
        {
            return null;
        }

        ClientSession? session = core.EnumerateSessions().FirstOrDefault(s => s.Id == id);
        return request.Kind is "KICK" ? Kick(session) : EnterLameDuck(session);
    }

    private byte[] Kick(ClientSession? session)
    {
        if (session is null)
        {
            return json.Error(RequestException.Failed, "no such client or leafnode id");
        }

        session.Loop.Run(() => session.Channel.CloseSilently(CloseText.Kicked));
        return json.Done();
    }

    private byte[] EnterLameDuck(ClientSession? session)
    {
        if (session is null)
        {
            return json.Error(RequestException.Failed, "no such client id");
        }

        if (!session.AcceptsInfo)
        {
            const string Problem = "client does not support Lame Duck Mode or is not ready to receive the notification";
            return json.Error(RequestException.Failed, Problem);
        }

        session.SendLameDuckInfo();
        return json.Done();
    }

    private async Task<byte[]> ReloadAsync()
    {
        if (core.RereadConfiguration is not { } reread)
        {
            return json.Error(RequestException.Failed, "this program does not read its configuration again");
        }

        try
        {
            await reread().WaitAsync(ReloadTimeout).ConfigureAwait(false);
            return json.Done();
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            return json.Error(RequestException.Failed, e.Message);
        }
    }
}
