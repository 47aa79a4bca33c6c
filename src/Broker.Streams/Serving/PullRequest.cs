using System.Buffers.Text;
using System.Text.Json;

namespace Broker.Streams;

/// <summary>A request for the next messages of a consumer. Times are in ticks.</summary>
internal sealed class PullRequest
{
    internal byte[] Reply { get; init; } = [];

    /// <summary>The number of messages that are still wanted.</summary>
    internal long Batch { get; set; } = 1;

    /// <summary>The bytes that are still wanted; 0 for no limit.</summary>
    internal long MaxBytes { get; set; }

    internal bool HasMaxBytes { get; private set; }

    internal bool NoWait { get; private set; }

    /// <summary>Whether a message was delivered to the request.</summary>
    internal bool IsServed { get; set; }

    /// <summary>How long the request waits; 0 for ever.</summary>
    internal long Expires { get; private set; }

    /// <summary>Whether the request has ended before it arrived.</summary>
    internal bool IsLate { get; private set; }

    /// <summary>The pause after which a heartbeat is sent; 0 for none.</summary>
    internal long Heartbeat { get; private set; }

    /// <summary>The time of the end; the maximum for never.</summary>
    internal long Deadline { get; set; } = long.MaxValue;

    /// <summary>The time of the next heartbeat; the maximum for none.</summary>
    internal long NextHeartbeat { get; set; } = long.MaxValue;

    /// <summary>A field that is not supported; null if there is none.</summary>
    internal string? Unsupported { get; private set; }

    /// <summary>Reads a request: empty, a number of messages, or JSON. Returns false if it is not valid.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> reply, ReadOnlySpan<byte> body, out PullRequest request)
    {
        request = new PullRequest { Reply = reply.ToArray() };
        body = body.Trim(" \t\r\n"u8);
        if (body.IsEmpty)
        {
            return true;
        }

        if (Utf8Parser.TryParse(body, out long batch, out int read) && read == body.Length)
        {
            request.Batch = Math.Max(batch, 1);
            return true;
        }

        try
        {
            var reader = new Utf8JsonReader(body);
            return reader.Read() && reader.TokenType == JsonTokenType.StartObject && request.TryReadFields(ref reader);
        }
        catch (JsonException)
        {
            return false;
        }
        catch (FormatException)
        {
            return false;
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    private bool TryReadFields(ref Utf8JsonReader reader)
    {
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            bool isBatch = reader.ValueTextEquals("batch"u8);
            bool isExpires = reader.ValueTextEquals("expires"u8);
            bool isBytes = reader.ValueTextEquals("max_bytes"u8);
            bool isHeartbeat = reader.ValueTextEquals("idle_heartbeat"u8);
            bool isNoWait = reader.ValueTextEquals("no_wait"u8);
            string? other = isBatch || isExpires || isBytes || isHeartbeat || isNoWait ? null : reader.GetString();
            reader.Read();
            if (isNoWait)
            {
                NoWait = reader.GetBoolean();
            }
            else if (other is null)
            {
                Set(reader.GetInt64(), isBatch, isExpires, isBytes);
            }
            else
            {
                bool isDefault = reader.TokenType is JsonTokenType.Null || (reader.TokenType == JsonTokenType.Number && reader.GetInt64() == 0)
                    || (reader.TokenType == JsonTokenType.String && reader.ValueSpan.IsEmpty);
                Unsupported ??= isDefault ? null : other;
                reader.Skip();
            }
        }

        return reader.TokenType == JsonTokenType.EndObject;
    }

    private void Set(long value, bool isBatch, bool isExpires, bool isBytes)
    {
        if (isBatch)
        {
            Batch = Math.Max(value, 1);
        }
        else if (isExpires)
        {
            IsLate = value < 0;
            Expires = Math.Max(value, 0) / TimeSpan.NanosecondsPerTick;
        }
        else if (isBytes)
        {
            MaxBytes = Math.Max(value, 0);
            HasMaxBytes = value > 0;
        }
        else
        {
            Heartbeat = Math.Max(value, 0) / TimeSpan.NanosecondsPerTick;
        }
    }
}
