using System.Globalization;
using System.Text;
using System.Text.Json;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Client.Streams;

namespace Broker.Cli.Buckets;

/// <summary>Prints revisions of keys.</summary>
/// <param name="shell">The streams of the command.</param>
/// <param name="form">The output format.</param>
internal sealed class EntryPrinter(ShellStreams shell, OutputForm form)
{
    private readonly LineOutput _lines = new(shell);

    public static string Name(BucketOperation operation) => operation switch
    {
        BucketOperation.Put => "put",
        BucketOperation.Delete => "delete",
        _ => "purge",
    };

    /// <summary>
    /// Prints a revision: its number, its time, the operation if it is no value, the key and the value.
    /// </summary>
    public void Print(BucketEntry entry)
    {
        switch (form)
        {
            case OutputForm.Json:
                ApiJson.Write(_lines, json => Write(json, entry));
                return;
            case OutputForm.Raw:
                _lines.Write(entry.Value.Span);
                break;
            default:
                string operation = entry.IsDeleted ? $"({Name(entry.Operation)}) " : "";
                _lines.Write(string.Create(CultureInfo.InvariantCulture, $"{entry.Revision} {entry.Created.ToUniversalTime():yyyy-MM-dd'T'HH:mm:ss'Z'} {operation}"));
                _lines.WriteHighlighted(BodyText.Show(Encoding.UTF8.GetBytes(entry.Key)));
                _lines.Write(" " + (form == OutputForm.Hex ? Convert.ToHexStringLower(entry.Value.Span) : BodyText.Show(entry.Value.Span)));
                break;
        }

        _lines.EndLine();
    }

    public void Flush() => _lines.Flush();

    private static void Write(Utf8JsonWriter json, BucketEntry entry)
    {
        json.Add("bucket", entry.Bucket);
        json.Add("key", entry.Key);
        json.Add("revision", entry.Revision);
        json.Add("created", entry.Created);
        json.Add("operation", Name(entry.Operation));
        if (!entry.IsDeleted)
        {
            BodyText.WriteJson(json, "value", entry.Value.Span);
        }
    }
}
