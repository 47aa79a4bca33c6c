using System.Text;
using System.Text.Json;

namespace Broker.Client.Streams;

/// <summary>
/// Reads acknowledgements. It keeps the last name of a stream, because most acknowledgements of a program have the same
/// one. Used by one thread at a time.
/// </summary>
internal sealed class AckReader
{
    private string _stream = "";
    private byte[] _streamBytes = [];
    private string? _domain;

    /// <summary>Reads <c>{"stream":"S", "seq":1}</c> or an error.</summary>
    /// <returns>Null if the body is an acknowledgement.</returns>
    internal ApiError? Read(ReadOnlySpan<byte> body, out PublishAck ack)
    {
        ack = default;
        try
        {
            return ReadAck(body, ref ack);
        }
        catch (JsonException e)
        {
            return new ApiError { Description = $"the acknowledgement is not valid: {e.Message}" };
        }
    }

    private ApiError? ReadAck(ReadOnlySpan<byte> body, ref PublishAck ack)
    {
        var json = new Utf8JsonReader(body);
        string? stream = null;
        string? domain = null;
        ulong sequence = 0;
        bool duplicate = false;
        json.Read();
        while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
        {
            if (json.ValueTextEquals("error"u8))
            {
                return JsonSerializer.Deserialize(body, WireJson.Default.ApiErrorAnswer)?.Error ?? new ApiError();
            }

            if (json.ValueTextEquals("stream"u8) && json.Read())
            {
                stream = StreamOf(ref json);
            }
            else if (json.ValueTextEquals("seq"u8) && json.Read())
            {
                json.TryGetUInt64(out sequence);
            }
            else if (json.ValueTextEquals("duplicate"u8) && json.Read())
            {
                duplicate = json.TokenType == JsonTokenType.True;
            }
            else if (json.ValueTextEquals("domain"u8) && json.Read())
            {
                domain = DomainOf(ref json);
            }
            else
            {
                json.Skip();
            }
        }

        if (stream is null)
        {
            return new ApiError { Description = "the acknowledgement names no stream" };
        }

        ack = new PublishAck(stream, sequence, duplicate, domain);
        return null;
    }

    private string StreamOf(ref Utf8JsonReader json)
    {
        if (!json.ValueIsEscaped && json.ValueSpan.SequenceEqual(_streamBytes))
        {
            return _stream;
        }

        _stream = json.GetString() ?? "";
        _streamBytes = Encoding.UTF8.GetBytes(_stream);
        return _stream;
    }

    private string? DomainOf(ref Utf8JsonReader json) => _domain is { } known && json.ValueTextEquals(known) ? known : _domain = json.GetString();
}
