using System.Diagnostics;
using System.Globalization;
using System.Net;

namespace Broker.Server.Tests.Jwts;

/// <summary>
/// Three accounts with random exports, imports, mappings, limits and response permissions, which change while their
/// clients are connected. A model decides which messages arrive.
/// </summary>
/// <param name="seed">The seed of the claims and of the questions.</param>
/// <param name="isGentle">Whether claims are left out for which nats-server refuses all users of an account.</param>
/// <param name="counts">The decisions of this server; null if they do not count.</param>
internal sealed class SharedWorld(int seed, bool isGentle, ChainCounts? counts)
{
    private const int Phases = 3;
    private const int Responses = 4;
    private const string Update = "$SYS.REQ.CLAIMS.UPDATE";
    private const string Everything = JwtSite.NoUserLimits + ",\"pub\":{\"allow\":[\">\"]},\"sub\":{\"allow\":[\">\"]},";

    private readonly Random _random = new(seed);
    private int _sent;
    private int _updates;
    private string _about = "";

    /// <summary>The number of users and messages that a server has decided about.</summary>
    internal int Questions { get; private set; }

    /// <summary>Plays the world.</summary>
    /// <param name="site">The operator.</param>
    /// <param name="server">The address of the server.</param>
    /// <param name="name">The name of the server.</param>
    /// <param name="isOurs">Whether the server refuses JWTs that nats-server stores.</param>
    internal void Play(ResolverSite site, EndPoint server, string name, bool isOurs)
    {
        using ResolverClient system = site.ConnectSystem(server);
        SharedAccount[] accounts = [.. Enumerable.Range(0, 3).Select(static n => new SharedAccount(n))];
        try
        {
            // nats-server does not apply each changed import and mapping to clients that are connected.
            for (int phase = 0; phase < (isOurs ? Phases : 1); phase++)
            {
                foreach (SharedAccount account in accounts)
                {
                    _about = string.Create(CultureInfo.InvariantCulture, $"{name}, seed {seed}, phase {phase}, account {account.Number} ({account.Key})");
                    Change(site, system, account, accounts, isOurs);
                }

                Array.ForEach(accounts, a => Connect(site, server, a));
                Array.ForEach(accounts, a => Ask(site, server, a));
            }
        }
        finally
        {
            Array.ForEach(accounts, static a => a.Dispose());
        }
    }

    // Sends new claims, sometimes with the signature of a stranger. A refused JWT changes nothing.
    private void Change(ResolverSite site, ResolverClient system, SharedAccount account, SharedAccount[] all, bool isOurs)
    {
        var claims = new SharedClaims(_random, account, all, isGentle);
        bool isStrange = _random.Next(6) == 0;
        (string Claim, bool Lets)[] decided = [.. claims.Decide(), ("iss of an update", !isStrange)];
        bool lets = Array.TrueForAll(decided, static c => c.Lets);
        if (lets || isOurs)
        {
            JwtKey signer = isStrange ? account.Stranger : site.Keys.Operator;
            string answer = system.Request(Update, signer.Sign(account.Key.Public, claims.ToJson(account), issued: 1_750_000_000 + ++_updates));
            Assert.True(lets == answer.StartsWith("data", StringComparison.Ordinal), $"{_about}: the model {(lets ? "accepts" : "refuses")} {claims.ToJson(account)}, the server says {answer}");
            counts?.Add(decided);
        }

        account.Claims = lets ? claims : account.Claims;
        if (lets && claims.MaxConnections >= 0)
        {
            CloseNewest(account, claims.MaxConnections);
        }
    }

    // The clients that came last are closed when the limit is below their number.
    private void CloseNewest(SharedAccount account, int max)
    {
        if (account.Live == 0)
        {
            return;
        }

        (ResolverClient Client, bool IsPeer)[] all = [(account.Peer!, true), .. account.Extras.Select(static e => (e, false))];
        for (int i = 0; i < all.Length; i++)
        {
            string heard = i < max ? all[i].Client.Sync() : all[i].Client.End();
            Compare([("limits.conn", i < max)], !heard.Contains("maximum account active connections exceeded", StringComparison.Ordinal), $"client {i} heard {heard}");
            if (i >= max)
            {
                all[i].Client.Dispose();
                account.Peer = all[i].IsPeer ? null : account.Peer;
                account.Extras.Remove(all[i].Client);
            }
        }
    }

    private void Connect(ResolverSite site, EndPoint server, SharedAccount account)
    {
        _about = string.Create(CultureInfo.InvariantCulture, $"{_about.Split(", account")[0]}, account {account.Number} ({account.Key})");
        if (account.Peer is null)
        {
            account.Peer = TryConnect(site, server, account);
            account.Peer?.Raw.SendWhatGoes("SUB > 1\r\n");
        }

        for (int i = 0; account is { Peer: not null, Claims.MaxConnections: > 0 } && i < 2; i++)
        {
            if (TryConnect(site, server, account) is { } extra)
            {
                account.Extras.Add(extra);
            }
        }
    }

    private ResolverClient? TryConnect(ResolverSite site, EndPoint server, SharedAccount account)
    {
        var user = JwtKey.ForUser();
        var client = new ResolverClient(server, site.Keys.UserJwt(user, Everything, signer: account.Key), user);
        client.Raw.SendWhatGoes("PING\r\n");
        string heard = client.Raw.ReadToPong();
        bool isIn = !heard.Contains("-ERR", StringComparison.Ordinal);
        List<(string Claim, bool Lets)> login = [("account", account.Claims is not null)];
        if (account.Claims is { MaxConnections: >= 0 and var max })
        {
            login.Add(("limits.conn", account.Live < max));
        }

        Compare(login, isIn, $"login, which heard {heard}");
        if (isIn)
        {
            return client;
        }

        client.Dispose();
        return null;
    }

    private void Ask(ResolverSite site, EndPoint server, SharedAccount account)
    {
        _about = string.Create(CultureInfo.InvariantCulture, $"{_about.Split(", account")[0]}, account {account.Number} ({account.Key})");
        if (account is not { Claims: { } claims, Peer: { } peer })
        {
            return;
        }

        foreach (SharedImport import in claims.Imports.Where(static i => i.From.Peer is not null))
        {
            (string Claim, bool Lets)[] decided = [.. import.Decide()];
            string subject = SharedImport.Concrete(_random, import.Subject);
            AskImport(import, peer, import.From.Peer!, subject, [.. decided, ("imports", true)]);
            if (import.Export is { } export && SharedImport.Concrete(_random, export.Subject) is var other && !ChainTerms.Covers(import.Subject, other))
            {
                AskImport(import, peer, import.From.Peer!, other, [.. decided, ("imports", false)]);
            }
        }

        AskMapping(account, claims, peer);
        if (claims.MaxConnections < 0)
        {
            AskResponder(site, server, account, claims, peer);
        }
    }

    private void AskImport(SharedImport import, ResolverClient peer, ResolverClient exporter, string subject, (string Claim, bool Lets)[] decided)
    {
        string local = import.LocalOf(subject);
        string text = string.Create(CultureInfo.InvariantCulture, $"n{++_sent}n");
        (ResolverClient from, ResolverClient to) = import.IsService ? (peer, exporter) : (exporter, peer);
        (string sent, string arrives) = import.IsService ? (local, subject) : (subject, local);
        string reply = import.IsService ? $"back.{text} " : "";
        from.Raw.SendWhatGoes(string.Create(CultureInfo.InvariantCulture, $"PUB {sent} {reply}{text.Length}\r\n{text}\r\n"));
        from.Sync();
        string heard = to.Sync();
        bool passes = heard.Contains($"\n{text}\n", StringComparison.Ordinal);
        Compare(decided, passes, $"import {import.ToJson()} of {import.Export?.ToJson()}: {sent} as {arrives}, heard {heard}");
        if (passes)
        {
            Assert.True(heard.Contains($"MSG {arrives} ", StringComparison.Ordinal), $"{_about}: {arrives} is expected, but heard {heard}");
            if (import.IsService)
            {
                AskReply(import, peer, exporter, heard, text);
            }
        }
    }

    // Only an export with the response type "Stream" lets a second response pass.
    private void AskReply(SharedImport import, ResolverClient peer, ResolverClient exporter, string heard, string text)
    {
        string[] lines = heard.Split('\n');
        string line = Array.FindLast(lines[..Array.IndexOf(lines, text)], static l => l.Contains("MSG ", StringComparison.Ordinal))!;
        string reply = line.Split(' ')[3];
        for (int i = 0; i < 2; i++)
        {
            string body = string.Create(CultureInfo.InvariantCulture, $"r{text}{i}");
            exporter.Raw.SendWhatGoes(string.Create(CultureInfo.InvariantCulture, $"PUB {reply} {body.Length}\r\n{body}\r\n"));
            exporter.Sync();
            string back = peer.Sync();
            Compare(
                [("response_type", i == 0 || import.Export!.IsStream)],
                back.Contains($"MSG back.{text} ", StringComparison.Ordinal) && back.Contains($"\n{body}\n", StringComparison.Ordinal),
                $"response {i} to {reply}, heard {back}");
        }
    }

    private void AskMapping(SharedAccount account, SharedClaims claims, ResolverClient peer)
    {
        string token = ChainTerms.Subject(_random, false).Split('.')[0];
        string source = string.Create(CultureInfo.InvariantCulture, $"m{account.Number}.{token}");
        string target = string.Create(CultureInfo.InvariantCulture, $"d{account.Number}.{token}");
        string text = string.Create(CultureInfo.InvariantCulture, $"n{++_sent}n");
        peer.Raw.SendWhatGoes(string.Create(CultureInfo.InvariantCulture, $"PUB {source} {text.Length}\r\n{text}\r\n"));
        string heard = peer.Sync();
        bool maps = claims.HasMapping && (claims.MapsToken || token == "a");
        Compare([("mappings", !maps)], heard.Contains($"MSG {source} ", StringComparison.Ordinal), $"mapping of {claims.ToJson(account)}, heard {heard}");
        Assert.True(maps == heard.Contains($"MSG {target} ", StringComparison.Ordinal), $"{_about}: mapping, heard {heard}");
    }

    private void AskResponder(ResolverSite site, EndPoint server, SharedAccount account, SharedClaims claims, ResolverClient peer)
    {
        var user = JwtKey.ForUser();
        var own = new ResponseRights(_random);
        (ResponseRights rights, string jwt) = _random.Next(3) switch
        {
            0 => (own, site.Keys.UserJwt(user, $"{JwtSite.NoUserLimits},{own.ToJson()},", signer: account.Key)),
            1 => (claims.Default, site.Keys.UserJwt(user, signer: account.Key)),
            _ => (claims.Role, site.Keys.UserJwt(user, $"\"issuer_account\":\"{account.Key}\",", signer: account.Scoped)),
        };
        using var responder = new ResolverClient(server, jwt, user);
        responder.Raw.SendWhatGoes("SUB rq 1\r\n");
        string login = responder.Sync();
        Assert.False(login.Contains("-ERR", StringComparison.Ordinal), $"{_about}: {login}");
        string reply = string.Create(CultureInfo.InvariantCulture, $"back.{++_sent}");
        peer.Raw.SendWhatGoes($"PUB rq {reply} 1\r\nx\r\n");
        peer.Sync();
        string heard = responder.Sync();
        Assert.True(heard.Contains($"MSG rq 1 {reply} 1", StringComparison.Ordinal), $"{_about}: the responder heard {heard}");
        // The time of the claim passes. A server counts it in milliseconds, and late when the machine is busy.
        for (var waited = Stopwatch.StartNew(); rights.IsShort && MayRespond(responder, reply, out _) && waited.Elapsed < Wait.Limit;)
        {
            Thread.Sleep(1);
        }

        for (int i = 0; i < Responses; i++)
        {
            bool passes = MayRespond(responder, reply, out string answer);
            Compare([rights.Decide(i)], passes, $"response {i} with {rights.ToJson()}, heard {answer}");
        }

        peer.Sync();
    }

    private static bool MayRespond(ResolverClient responder, string reply, out string answer)
    {
        responder.Raw.SendWhatGoes($"PUB {reply} 1\r\ny\r\n");
        answer = responder.Sync();
        return !answer.Contains("Permissions Violation", StringComparison.Ordinal);
    }

    private void Compare(IReadOnlyCollection<(string Claim, bool Lets)> model, bool passes, string what)
    {
        bool lets = model.All(static c => c.Lets);
        Questions++;
        Assert.True(
            lets == passes,
            $"{_about}: {what}\nThe model says {(lets ? "it passes" : $"refused by {string.Join(", ", model.Where(static c => !c.Lets).Select(static c => c.Claim))}")}.");
        counts?.Add(model);
    }
}
