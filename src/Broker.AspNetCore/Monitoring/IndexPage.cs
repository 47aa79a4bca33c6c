using System.Globalization;
using System.Text.Encodings.Web;
using Broker.Server;

namespace Broker.AspNetCore;

/// <summary>
/// The page at the root. Without scripts it lists the other pages; with scripts it also shows the server live.
/// </summary>
internal static class IndexPage
{
    internal static string Write(ServerDescription facts, MonitoringOptions options)
    {
        string more = string.Concat(options.Pages.Select(page =>
            $"<li><a href=\".{Encode(page.Path)}\">{Encode(page.Path.TrimStart('/'))}</a>: {Encode(page.Title)}</li>\n"));
        if (options.Log is not null)
        {
            more += "<li><a href=\"./logz\">logz</a>: the last lines of the log</li>\n";
        }

        // A server without a name has its id as name, which is too long for a title.
        string name = string.Equals(facts.Name, facts.Id, StringComparison.Ordinal) ? "broker" : facts.Name;
        // The links are relative, because the pages can have any base path.
        return $$"""
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>{{Encode(name)}}</title>
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href=".{{LiveFiles.StylePath}}">
            <script src=".{{LiveFiles.RoutesScriptPath}}" defer></script>
            <script src=".{{LiveFiles.ScriptPath}}" defer></script>
            </head>
            <body>
            <header>
            <h1>{{Encode(name)}} <span id="health"></span></h1>
            <p>broker {{Encode(facts.SoftwareVersion)}}, NATS protocol of nats-server {{facts.ProtocolVersion}},
            up since {{facts.Started.ToString("u", CultureInfo.InvariantCulture)}} <span id="up"></span>, id <code>{{Encode(facts.Id)}}</code></p>
            <p id="stream" class="badge bad" role="status" hidden></p>
            </header>
            <noscript><p>{{Count(facts.Counters.Connections, "connection")}}, {{Count(facts.Counters.Subscriptions, "subscription")}}.
            With scripts this page shows rates, connections and routes.</p></noscript>
            {{(options.IsOpenToOthers ? OpenToOthers : "")}}{{Live}}
            {{(options.Administrator is null ? "" : Administrator)}}
            <nav aria-label="Pages">
            <h2>Pages</h2>
            <ul>
            <li><a href="./varz">varz</a>: the server</li>
            <li><a href="./connz">connz</a>: connections; <a href="./connz?state=closed&amp;sort=stop">closed ones</a></li>
            <li><a href="./subsz">subsz</a>: subscriptions; <a href="./subsz?subs=1">list</a></li>
            <li><a href="./subjectz">subjectz</a>: subjects with the most traffic</li>
            <li><a href="./accountz">accountz</a>: accounts; <a href="./accstatz">traffic</a></li>
            <li><a href="./leafz">leafz</a>: leaf nodes</li>
            <li><a href="./healthz">healthz</a>: health</li>
            <li><a href="./metrics">metrics</a>: Prometheus</li>
            {{more}}</ul>
            </nav>
            </body>
            </html>

            """;
    }

    private const string OpenToOthers = """
        <p class="badge bad">Everybody who can connect to this address can see this page.</p>

        """;

    private const string Administrator = """
        <section id="admin" aria-labelledby="adminhead" hidden>
        <h2 id="adminhead">Administrator</h2>
        <form id="login" class="tools">
        <label id="namelabel">Name <input id="loginname" autocomplete="username" maxlength="256"></label>
        <label>Password or token <input id="loginsecret" type="password" autocomplete="current-password" maxlength="256" required></label>
        <button>Log in</button>
        </form>
        <div id="actions" class="tools" hidden><span id="adminname"></span>
        <button type="button" id="reload">Reload the configuration</button>
        <button type="button" id="lameduck">Begin lame duck mode</button>
        <button type="button" id="closeone">Close this connection</button>
        <button type="button" id="logout">Log out</button>
        </div>
        <p id="adminsays" role="status"></p>
        </section>
        """;

    private static readonly (string Id, string Title, string Class)[] Cards =
    [
        ("in_msgs", "Messages in", ""), ("out_msgs", "Messages out", " out"), ("in_bytes", "Bytes in", ""), ("out_bytes", "Bytes out", " out"),
    ];

    // The script fills these sections.
    private static readonly string Live = $$"""
        <main id="main" hidden>
        <p id="summary" role="status"></p>
        <section aria-labelledby="traffic">
        <h2 id="traffic">Traffic</h2>
        <dl class="cards">
        {{Charts("")}}</dl>
        <dl class="cards small">
        <div class="card"><dt>Connections</dt><dd id="connections">–</dd></div>
        <div class="card"><dt>Subscriptions</dt><dd id="subscriptions">–</dd></div>
        <div class="card"><dt>Memory</dt><dd id="memory">–</dd></div>
        <div class="card"><dt>CPU</dt><dd id="cpu">–</dd></div>
        <div class="card"><dt>Slow consumers</dt><dd id="slow">–</dd></div>
        <div class="card"><dt>Dropped messages</dt><dd id="dropped">–</dd></div>
        </dl>
        </section>
        <section id="bridge" aria-labelledby="bridgehead" hidden>
        <h2 id="bridgehead">ZeroMQ routes</h2>
        <ul id="routes" class="routes"></ul>
        </section>
        <section aria-labelledby="clients">
        <h2 id="clients">Connections</h2>
        <div class="tools">
        <label>Show <select id="which"><option value="open">open</option><option value="closed">closed</option></select></label>
        <label>Filter <input id="filter" type="search" placeholder="name, user, address"></label>
        <span id="shown" class="muted" role="status"></span>
        </div>
        <div class="scroll" role="region" aria-labelledby="clients" tabindex="0">
        <table><thead><tr id="heads"></tr></thead><tbody id="rows"></tbody></table>
        </div>
        </section>
        <section id="one" aria-labelledby="onehead" hidden>
        <p><a id="back" href="./#">All connections</a></p>
        <h2 id="onehead" tabindex="-1"></h2>
        <p id="onestate" role="status"></p>
        <dl class="cards">
        {{Charts("one_")}}</dl>
        <h3>History</h3>
        <ul id="onehistory"></ul>
        <h3>Facts</h3>
        <dl id="onefacts" class="facts"></dl>
        <h3 id="onesubhead">Subscriptions</h3>
        <ul id="onesubs"></ul>
        </section>
        <section aria-labelledby="subjecthead">
        <h2 id="subjecthead">Subjects with most traffic</h2>
        <p id="subjectnote" class="muted"></p>
        <div id="subjects" class="scroll" role="region" aria-labelledby="subjecthead" tabindex="0" hidden>
        <table><thead><tr><th scope="col" class="text">Subject</th><th scope="col">Account</th><th scope="col">Msg/s in</th>
        <th scope="col">Bytes/s in</th></tr></thead><tbody id="subjectrows"></tbody></table>
        </div>
        </section>
        <section aria-labelledby="accounthead">
        <h2 id="accounthead">Accounts</h2>
        <div class="scroll" role="region" aria-labelledby="accounthead" tabindex="0">
        <table><thead><tr><th scope="col" class="text">Account</th><th scope="col">Connections</th><th scope="col">Subs</th><th scope="col">Msg/s in</th>
        <th scope="col">Msg/s out</th><th scope="col">Bytes/s in</th><th scope="col">Bytes/s out</th></tr></thead><tbody id="accounts"></tbody></table>
        </div>
        </section>
        <section id="leafs" aria-labelledby="leafhead" hidden>
        <h2 id="leafhead">Leaf nodes</h2>
        <div class="scroll" role="region" aria-labelledby="leafhead" tabindex="0">
        <table><thead><tr><th scope="col" class="text">Name</th><th scope="col">Address</th><th scope="col">Account</th><th scope="col">State</th>
        <th scope="col">Subs</th><th scope="col">Msg/s in</th><th scope="col">Msg/s out</th><th scope="col">Bytes/s in</th>
        <th scope="col">Bytes/s out</th></tr></thead><tbody id="leafrows"></tbody></table>
        </div>
        </section>
        <section id="streams" aria-labelledby="streamhead" hidden>
        <h2 id="streamhead">Streams</h2>
        <p id="streamnote" class="muted"></p>
        <ul id="streamproblems" class="problems"></ul>
        <div id="streamtable" class="scroll" role="region" aria-labelledby="streamhead" tabindex="0">
        <table><thead><tr><th scope="col" class="text">Stream</th><th scope="col">Account</th><th scope="col">Messages</th><th scope="col">Bytes</th>
        <th scope="col">Msg/s in</th><th scope="col">Msg/s out</th><th scope="col">Consumers</th><th scope="col">Pending</th>
        <th scope="col">Not acknowledged</th><th scope="col">State</th></tr></thead><tbody id="streamrows"></tbody></table>
        </div>
        </section>
        <section id="log" aria-labelledby="loghead" hidden>
        <h2 id="loghead">Log</h2>
        <div class="scroll log" role="region" aria-labelledby="loghead" tabindex="0"><ol id="loglines"></ol></div>
        </section>
        </main>
        """;

    private static string Charts(string prefix) => string.Concat(Cards.Select(card => $$"""
        <div class="card{{card.Class}}"><dt>{{card.Title}}</dt><dd id="{{prefix}}{{card.Id}}">–</dd>
        <dd><svg viewBox="0 0 300 40" preserveAspectRatio="none" aria-hidden="true"><polygon id="{{prefix}}{{card.Id}}_area"/><polyline id="{{prefix}}{{card.Id}}_line"/></svg></dd>
        <dd id="{{prefix}}{{card.Id}}_peak" class="peak"></dd></div>

        """));

    private static string Count(int count, string what) => count == 1 ? $"1 {what}" : string.Create(CultureInfo.InvariantCulture, $"{count} {what}s");

    private static string Encode(string text) => HtmlEncoder.Default.Encode(text);
}
