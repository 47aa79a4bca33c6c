using System.Buffers;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Broker.AspNetCore;

/// <summary>The page <c>/logz</c>, which lists the last lines of the log as JSON.</summary>
internal sealed class LogPage(RecentLog log)
{
    /// <summary>The path of the page.</summary>
    internal const string Path = "/logz";

    internal Task ServeAsync(HttpContext context)
    {
        var buffer = new ArrayBufferWriter<byte>(4096);
        // The default encoder escapes control characters, and characters with a meaning in HTML.
        using (var json = new Utf8JsonWriter(buffer, new JsonWriterOptions { Indented = true }))
        {
            json.WriteStartObject();
            json.WriteStartArray("lines");
            foreach (RecentLine line in log.Read())
            {
                json.WriteStartObject();
                json.WriteString("time", line.Time);
                json.WriteString("level", NameOf(line.Level));
                json.WriteString("category", line.Category);
                json.WriteString("text", line.Text);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        context.Response.ContentType = "application/json";
        return context.Response.Body.WriteAsync(buffer.WrittenMemory, context.RequestAborted).AsTask();
    }

    private static string NameOf(LogLevel level) => level switch
    {
        LogLevel.Information => "info",
        LogLevel.Warning => "warn",
        LogLevel.Error => "error",
        _ => "fatal",
    };
}
