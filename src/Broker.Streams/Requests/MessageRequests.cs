using System.Text;
using Broker.Protocol;

namespace Broker.Streams;

/// <summary>Answers the requests for stored messages.</summary>
internal sealed class MessageRequests(ApiContext context)
{
    private const string GetKind = "stream_msg_get_response";
    private const string DeleteKind = "stream_msg_delete_response";

    private readonly DirectAnswer _answer = new(context.Responder);
    private LastMessageRead? _last;

    internal void Get(ApiRequest request)
    {
        if (!TryRead(request, GetKind, out ServedStream stream, out StreamRequest body))
        {
            return;
        }

        if (!IsSelection(body) || body is not { Batch: 0, MultiLast: null })
        {
            context.Responder.Refuse(request.Reply, ApiErrors.BadRequest, GetKind);
            return;
        }

        if (!HasValidSubject(body))
        {
            context.Responder.Refuse(request.Reply, ApiErrors.NoMessage, GetKind);
            return;
        }

        context.Reads.Add(new StoredMessageRead(stream, body, read => AnswerGet(request, read)));
    }

    internal void Delete(ApiRequest request)
    {
        if (!TryRead(request, DeleteKind, out ServedStream stream, out StreamRequest body))
        {
            return;
        }

        if (stream.Config.Sealed || stream.Config.DenyDelete)
        {
            context.Responder.Refuse(request.Reply, stream.Config.Sealed ? ApiErrors.Sealed : ApiErrors.DeleteDenied, DeleteKind);
            return;
        }

        Delete(request, stream, body.Seq);
    }

    /// <summary>
    /// Answers a direct request for the last message of a subject, without allocating. Returns false if the request needs
    /// <see cref="DirectGet"/>.
    /// </summary>
    /// <param name="target">The stream, which the subject may follow.</param>
    /// <param name="body">The body, which has the subject otherwise.</param>
    /// <param name="reply">The reply subject.</param>
    internal bool TryGetLast(ReadOnlySpan<byte> target, ReadOnlySpan<byte> body, ReadOnlySpan<byte> reply)
    {
        int dot = target.IndexOf((byte)'.');
        ReadOnlySpan<byte> subject = true switch
        {
            _ when dot < 0 => LastMessageRead.SubjectOf(body),
            _ when body.IsEmpty => target[(dot + 1)..],
            _ => default,
        };
        return !subject.IsEmpty && context.Streams.Find(dot < 0 ? target : target[..dot]) is { Config.AllowDirect: true } stream
            && (_last ??= new LastMessageRead(_answer)).TryAnswer(stream, subject, reply);
    }

    /// <summary>
    /// Answers with the message itself. The subject of the request may name the subject of the message.
    /// </summary>
    internal void DirectGet(ApiRequest request)
    {
        if (!context.Streams.TryGet(request.Token(2), out ServedStream? stream) || !stream.Config.AllowDirect)
        {
            context.Responder.PublishStatus(request.Reply, "NATS/1.0 503\r\n\r\n"u8);
            return;
        }

        bool isInSubject = request.Tokens.Length > 3;
        if (!isInSubject && request.IsEmpty)
        {
            context.Responder.PublishStatus(request.Reply, "NATS/1.0 408 Empty Request\r\n\r\n"u8);
            return;
        }

        if (!ApiContext.TryRead(request, WireJson.Default.StreamRequest, new StreamRequest(), out StreamRequest body, out _))
        {
            context.Responder.PublishStatus(request.Reply, "NATS/1.0 408 Malformed Request\r\n\r\n"u8);
            return;
        }

        body = isInSubject ? new StreamRequest { LastBySubj = string.Join('.', request.Tokens[3..]) } : body;
        if (body is { MultiLast: not null } or { Batch: not 0 })
        {
            DirectGetSeveral(request, stream, body);
        }
        else if (!IsSelection(body) || !HasValidSubject(body))
        {
            context.Responder.PublishStatus(request.Reply, "NATS/1.0 408 Bad Request\r\n\r\n"u8);
        }
        else
        {
            context.Reads.Add(new StoredMessageRead(stream, body, read => AnswerDirect(request.Reply, read)));
        }
    }

    // Both requests need a body, which is read before the stream is looked up, as nats-server does.
    private bool TryRead(ApiRequest request, string kind, out ServedStream stream, out StreamRequest body)
    {
        ApiError? error = request.IsEmpty ? ApiErrors.BadRequest : null;
        body = new StreamRequest();
        ServedStream? found = null;
        if (error is null && ApiContext.TryRead(request, WireJson.Default.StreamRequest, body, out body, out error) && !context.Streams.TryGet(request.Token(3), out found))
        {
            error = ApiErrors.StreamNotFound;
        }

        stream = found!;
        if (error is not null)
        {
            context.Responder.Refuse(request.Reply, error, kind);
        }

        return error is null;
    }

    private void DirectGetSeveral(ApiRequest request, ServedStream stream, StreamRequest body)
    {
        bool isOfLast = body.MultiLast is { Count: > 0 };
        bool isEmpty = !isOfLast && (body.MultiLast is not null || (body.Seq == 0 && body.StartTime is null && body is { NextBySubj: null, LastBySubj: null }));
        bool isTwice = (body.Seq > 0 && body.StartTime is not null) || (body.UpToSeq > 0 && body.UpToTime is not null)
            || (isOfLast ? body.NextBySubj is not null : body.UpToSeq > 0 || body.UpToTime is not null);
        if (isEmpty || isTwice || body.LastBySubj is not null || body.Batch < 0 || body.MaxBytes < 0)
        {
            context.Responder.PublishStatus(request.Reply, isEmpty ? "NATS/1.0 408 Empty Request\r\n\r\n"u8 : "NATS/1.0 408 Bad Request\r\n\r\n"u8);
            return;
        }

        context.Reads.Add(new DirectBatchRead(context, _answer, stream, request.Reply, body));
    }

    // Exactly one of: a sequence or a time, the last one of a subject, the next one of a subject.
    private static bool IsSelection(StreamRequest body)
    {
        bool isLast = body.LastBySubj is { Length: > 0 };
        bool isNext = body.NextBySubj is { Length: > 0 };
        bool isTimed = body.StartTime is not null;
        return isLast ? !isNext && !isTimed && body.Seq == 0 : !(isTimed && body.Seq > 0) && (isNext || isTimed || body.Seq > 0);
    }

    private static bool HasValidSubject(StreamRequest body)
    {
        string? subject = string.IsNullOrEmpty(body.LastBySubj) ? body.NextBySubj : body.LastBySubj;
        return string.IsNullOrEmpty(subject) || Subject.IsValidFilter(Encoding.UTF8.GetBytes(subject));
    }

    private void AnswerGet(ApiRequest request, StoredMessageRead read)
    {
        if (read.Status != ReadStatus.Found)
        {
            context.Responder.Refuse(request.Reply, read.Status == ReadStatus.Damaged ? StoreErrors.Of(read.Stream.Stored.Damage!, read.Stream.Name) : ApiErrors.NoMessage, GetKind);
            return;
        }

        MessageBuffer message = read.Message;
        var answer = new MessageAnswer
        {
            Message = new StoredMessage
            {
                Subject = Encoding.UTF8.GetString(message.Subject),
                Seq = message.Sequence,
                Hdrs = message.Headers.IsEmpty ? null : message.Headers.ToArray(),
                Data = message.Body.IsEmpty ? null : message.Body.ToArray(),
                Time = message.Time,
            },
        };
        context.Responder.Answer(request.Reply, answer, GetKind, WireJson.Default.MessageAnswer);
    }

    private void AnswerDirect(byte[] reply, StoredMessageRead read)
    {
        if (read.Status != ReadStatus.Found)
        {
            ReadOnlySpan<byte> status = read.Status == ReadStatus.Damaged ? "NATS/1.0 503 Stream Is Damaged\r\n\r\n"u8 : "NATS/1.0 404 Message Not Found\r\n\r\n"u8;
            context.Responder.PublishStatus(reply, status);
            return;
        }

        _answer.Publish(reply, read.Stream.Name, read.Message.Record);
    }

    private void Delete(ApiRequest request, ServedStream stream, ulong sequence)
    {
        long token = context.Await((_, outcome) =>
        {
            if (outcome == StoreOutcome.Stored)
            {
                context.Responder.Answer(request.Reply, new SuccessAnswer(), DeleteKind, WireJson.Default.SuccessAnswer);
            }
            else
            {
                context.Responder.Refuse(request.Reply, StoreErrors.Of(outcome, stream.Store), DeleteKind);
            }
        });
        QueueStatus status;
        bool isStored;
        using (StoreBatch batch = stream.Store.Begin())
        {
            isStored = stream.Stored.TryFind(sequence, out _);
            status = isStored ? batch.Delete(stream.Stored, sequence, context.Reports, token) : QueueStatus.Refused;
        }

        if (status != QueueStatus.Queued)
        {
            context.Forget(token);
            bool wasStored = sequence > 0 && sequence <= stream.Stored.LastAssigned;
            ApiError error = isStored ? StoreErrors.Of(status, stream.Store, stream.Stored)
                : wasStored ? ApiErrors.SequenceNotFound(sequence) : ApiErrors.NotDeleted("no message found");
            context.Responder.Refuse(request.Reply, error, DeleteKind);
        }
    }
}
