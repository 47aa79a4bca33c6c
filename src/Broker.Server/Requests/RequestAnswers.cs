using System.Globalization;
using System.Text;

namespace Broker.Server;

/// <summary>Creates the answers to system requests, in the form of nats-server.</summary>
/// <param name="core">The state of the server.</param>
/// <param name="inspector">Describes the server's parts.</param>
/// <param name="inspect">Describes the server.</param>
/// <param name="json">Writes the answers.</param>
/// <param name="traffic">Adds up the traffic of accounts.</param>
internal sealed class RequestAnswers(
    ServerCore core, ServerInspector inspector, Func<ServerDescription> inspect, SystemJson json, AccountTraffic traffic)
{
    private readonly RequestActions _actions = new(core, json);

    /// <summary>
    /// Returns the answer; null if the server must not answer. Throws only <see cref="OutOfMemoryException"/>.
    /// </summary>
    internal async Task<byte[]?> AnswerAsync(ReceivedRequest request)
    {
        try
        {
            byte[]? answer = request.Scope switch
            {
                RequestScope.Requester => json.Page(
                    UserInfo.From(request.Requester?.Principal, request.Requester?.Account.Name ?? request.ReplyAccount.Name),
                    PageJson.Compact.UserInfo),
                RequestScope.Subscribers => await CountSubscribersAsync(request).ConfigureAwait(false),
                RequestScope.ThisServer when RequestActions.Knows(request.Kind) => await _actions.RunAsync(request).ConfigureAwait(false),
                _ => await PageAsync(request, RequestOptions.Parse(request.Body)).ConfigureAwait(false),
            };
            return answer is null || answer.Length <= core.Options.MaxPending / 2
                ? answer
                : json.PageError("the answer is too large: request fewer entries with \"limit\" and \"offset\"");
        }
        catch (RequestException e)
        {
            return e.Code == RequestException.BadRequest ? json.Error(e.Code, e.Message) : json.PageError(e.Message);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // An exception here must not prevent the answers to later requests.
            core.Log.Fault(e);
            return json.PageError("the server could not answer");
        }
    }

    private async Task<byte[]?> PageAsync(ReceivedRequest request, RequestOptions options)
    {
        ServerDescription server = inspect();
        if (!options.Select(core.Identity, json.Host, server.Tags))
        {
            return null;
        }

        return request.Kind switch
        {
            "IDZ" => json.Id(),
            "HEALTHZ" => json.Page(Healthz.From(server, !(options.Flag("js-enabled-only") || options.Flag("js-server-only"))), PageJson.Compact.Healthz),
            "VARZ" => json.Page(Varz.From(server), PageJson.Compact.Varz),
            "CONNZ" => await ConnzAsync(server, PageQueries.Connections(options, request.Account)).ConfigureAwait(false),
            "SUBSZ" => await SubszAsync(server, options, request.Account).ConfigureAwait(false),
            "ACCOUNTZ" => Accountz(server, options.Text("account")),
            "INFO" => json.Page(AccountDetail.From(FindAccount(request.Account!)), PageJson.Compact.AccountDetail),
            "STATZ" => Accstatz(server, request, options),
            "CONNS" => core.Accounts.Find(request.Account!) is { } account ? json.Connections(account, traffic.Sum(account)) : null,
            "ROUTEZ" => json.Page(Routez.From(server), PageJson.Compact.Routez),
            "LEAFZ" => json.Page(
                await Leafz.FromAsync(server, request.Account ?? options.Text("account"), options.Flag("subscriptions")).ConfigureAwait(false),
                PageJson.Compact.Leafz),
            "GATEWAYZ" => json.Page(Gatewayz.From(server), PageJson.Compact.Gatewayz),
            "JSZ" => await JszAsync(server, options, request.Account).ConfigureAwait(false),
            _ => json.Statistics(server),
        };
    }

    private async Task<byte[]> ConnzAsync(ServerDescription server, ConnectionQuery query)
    {
        ConnectionPage page = await inspector.InspectConnectionsAsync(query, CancellationToken.None).ConfigureAwait(false);
        return json.Page(Connz.From(server, query, page), PageJson.Compact.Connz);
    }

    private async Task<byte[]> SubszAsync(ServerDescription server, RequestOptions options, string? account)
    {
        SubscriptionQuery query = PageQueries.Subscriptions(options, account);
        // As in nats-server, a request about an account always lists the subscriptions.
        SubscriptionPage page = account is not null || options.Flag("subscriptions")
            ? await inspector.InspectSubscriptionsAsync(query, CancellationToken.None).ConfigureAwait(false)
            : new SubscriptionPage([], query.Clamp().Offset, query.Clamp().Limit);
        RoutingCounters routing = query.Account is null ? server.Routing
            : inspector.InspectAccount(query.Account)?.Routing ?? new RoutingCounters(0, 0, 0, 0, 0, 0, 0, 0);
        var answer = Subsz.From(server, routing, page);
        return json.Page(
            page.Subscriptions.Count == 0 ? answer with { SubscriptionsList = null } : answer, PageJson.Compact.Subsz);
    }

    private async Task<byte[]> JszAsync(ServerDescription server, RequestOptions options, string? account)
    {
        StreamsQuery? query = PageQueries.Streams(options, account);
        IReadOnlyList<AccountStreamsDescription> accounts = core.Streams is { } streams
            ? await streams.DescribeAccountsAsync(query ?? new StreamsQuery(), CancellationToken.None).ConfigureAwait(false)
            : [];
        if (account is null)
        {
            int limit = options.Number("limit");
            return json.Page(
                Jsz.From(server, accounts, query, Math.Max(0, options.Number("offset")), limit > 0 ? limit : int.MaxValue),
                PageJson.Compact.Jsz);
        }

        if (core.Streams is null)
        {
            throw new RequestException(RequestException.Failed, "jetstream not enabled");
        }

        AccountStreamsDescription one = accounts.FirstOrDefault(a => string.Equals(a.Account, account, StringComparison.Ordinal))
            ?? throw new RequestException(RequestException.Failed, $"account \"{account}\" not jetstream enabled");
        return json.Page(JszAccount.From(one), PageJson.Compact.JszAccount);
    }

    private byte[] Accountz(ServerDescription server, string? name)
    {
        AccountDescription? one = name is null ? null : FindAccount(name);
        return json.Page(
            Broker.Server.Accountz.From(server, name is null ? inspector.InspectAccounts() : [], one), PageJson.Compact.Accountz);
    }

    private byte[]? Accstatz(ServerDescription server, ReceivedRequest request, RequestOptions options)
    {
        bool isOfAll = request is { Scope: RequestScope.Account, Account: SystemRequests.AllAccounts };
        IReadOnlyList<string> names = !isOfAll ? [request.Account!] : options.Texts("accounts");
        IReadOnlyList<AccountDescription> accounts = inspector.InspectAccounts();
        if (names.Count != 0)
        {
            accounts = [.. accounts.Where(a => names.Contains(a.Name, StringComparer.Ordinal))];
        }

        var answer = Broker.Server.Accstatz.From(server, accounts, isOfAll && options.Flag("include_unused"));
        return answer.AccountStatz.Any() ? json.Page(answer, PageJson.Compact.Accstatz) : null;
    }

    private AccountDescription FindAccount(string name)
        => inspector.InspectAccount(name) ?? throw new RequestException(RequestException.Failed, $"Account {name} does not exist");

    // The body is a subject or a filter, and optionally a queue group.
    private async Task<byte[]> CountSubscribersAsync(ReceivedRequest request)
    {
        string[] words = Encoding.UTF8.GetString(request.Body)
            .Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);
        Account account = request.Requester?.Account ?? request.ReplyAccount;
        int count = words.Length == 0
            ? 0
            : await inspector.CountSubscribersAsync(account, words[0], words.ElementAtOrDefault(1)).ConfigureAwait(false);
        return Encoding.UTF8.GetBytes(count.ToString(CultureInfo.InvariantCulture));
    }
}
