using System.Globalization;
using System.Text.Encodings.Web;
using Broker.Server;

namespace Broker.AspNetCore;

/// <summary>The page at the root, which lists the other pages.</summary>
internal static class IndexPage
{
    internal static string Write(ServerDescription facts, IReadOnlyList<MonitoringPage> others)
    {
        string more = string.Concat(others.Select(page =>
            $"<li><a href=\".{HtmlEncoder.Default.Encode(page.Path)}\">{HtmlEncoder.Default.Encode(page.Path.TrimStart('/'))}</a>: {HtmlEncoder.Default.Encode(page.Title)}</li>\n"));
        string name = HtmlEncoder.Default.Encode(facts.Name);
        // The links are relative, because the pages can have any base path.
        return $$"""
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>{{name}}</title>
            <style>body { font-family: system-ui, sans-serif; margin: 2em } li { margin: .4em 0 } code { color: #555 }</style>
            </head>
            <body>
            <h1>{{name}}</h1>
            <p>NATS protocol of nats-server <code>{{facts.ProtocolVersion}}</code>, up since {{facts.Started.ToString("u", CultureInfo.InvariantCulture)}},
            {{facts.Counters.Connections}} connections, {{facts.Counters.Subscriptions}} subscriptions.</p>
            <ul>
            <li><a href="./varz">varz</a>: the server</li>
            <li><a href="./connz">connz</a>: connections; <a href="./connz?state=closed&amp;sort=stop">closed ones</a></li>
            <li><a href="./subsz">subsz</a>: subscriptions; <a href="./subsz?subs=1">list</a></li>
            <li><a href="./accountz">accountz</a>: accounts; <a href="./accstatz">traffic</a></li>
            <li><a href="./healthz">healthz</a>: health</li>
            <li><a href="./metrics">metrics</a>: Prometheus</li>
            {{more}}</ul>
            </body>
            </html>

            """;
    }
}
