using System.Text;
using Broker.Server;

namespace Broker.Streams;

/// <summary>Checks messages and queues them for the disk. Used on the loop of the account only.</summary>
internal sealed class StreamWriter(PendingReplies pending, Responder responder, StoreReports reports)
{
    private byte[] _headers = [];

    private static ReadOnlySpan<byte> RollupOfSubject => "sub"u8;

    private static ReadOnlySpan<byte> RollupOfAll => "all"u8;

    private static ReadOnlySpan<byte> All => ">"u8;

    /// <summary>Queues a message, or refuses it. The caller holds the lock of the stream's store.</summary>
    internal void Write(in StoreBatch batch, ServedStream stream, in DeliveredMessage message)
    {
        ReadOnlySpan<byte> reply = stream.Config.NoAck == true ? default : message.ReplyTo;
        var headers = default(PublishHeaders);
        if (message.HeaderLength > 0)
        {
            headers = PublishHeaders.Read(message.Headers);
        }

        if (!headers.MessageId.IsEmpty && !HasUnexpectedStream(headers, stream))
        {
            stream.Duplicates.Trim(batch.Time - (stream.Config.DuplicateWindow / TimeSpan.NanosecondsPerTick));
            if (stream.Duplicates.Find(headers.MessageId) is { } known)
            {
                AnswerDuplicate(stream, known, reply);
                return;
            }
        }

        ApiError? error = Refusal(stream, message) ?? headers.Error ?? TtlError(stream, headers) ?? Expectation(stream, headers, message.Subject) ?? NoSpace(stream, message);
        if (error is not null)
        {
            responder.Reject(reply, stream, error);
            return;
        }

        Append(batch, stream, message, headers, reply);
    }

    /// <summary>Handles the outcome of a message.</summary>
    internal void Complete(PendingReply answer, ulong sequence, StoreOutcome outcome)
    {
        ServedStream stream = answer.Stream!;
        PendingReply? waiting = null;
        if (answer.Id is { } id)
        {
            waiting = id.Waiting;
            id.Waiting = null;
            id.IsStored = outcome == StoreOutcome.Stored;
            if (!id.IsStored)
            {
                stream.Duplicates.Remove(id);
            }
        }

        bool isDuplicate = false;
        for (PendingReply? next = answer; next is not null; next = waiting)
        {
            if (isDuplicate)
            {
                waiting = next.Next;
            }

            if (outcome == StoreOutcome.Stored)
            {
                responder.Acknowledge(next.Subject, stream, sequence, isDuplicate);
            }
            else
            {
                responder.Reject(next.Subject, stream, StoreErrors.Of(outcome, stream.Store));
            }

            pending.Return(next);
            isDuplicate = true;
        }
    }

    private static bool HasUnexpectedStream(in PublishHeaders headers, ServedStream stream)
        => !headers.ExpectedStream.IsEmpty && !Ascii.Equals(headers.ExpectedStream, stream.Name);

    private static ApiError? Refusal(ServedStream stream, in DeliveredMessage message)
    {
        if (stream.Stored.Damage is { } damage)
        {
            return StoreErrors.Of(damage, stream.Name);
        }

        if (stream.Stored.Fault is { } fault)
        {
            return StoreErrors.OfFault(fault, stream.Name);
        }

        if (stream.Config.Sealed)
        {
            return ApiErrors.Sealed;
        }

        return stream.Config.MaxMsgSize >= 0 && message.Payload.Length > stream.Config.MaxMsgSize ? ApiErrors.TooLarge : null;
    }

    private static ApiError? TtlError(ServedStream stream, in PublishHeaders headers)
        => headers.HasTimeToLive && stream.Config.AllowMsgTtl != true ? ApiErrors.TtlDisabled : null;

    private static ApiError? Expectation(ServedStream stream, in PublishHeaders headers, ReadOnlySpan<byte> subject)
    {
        if (HasUnexpectedStream(headers, stream))
        {
            return ApiErrors.UnexpectedStream;
        }

        StoredStream stored = stream.Stored;
        if (headers.ExpectedLast is { } last && last != stored.LastAssigned)
        {
            return ApiErrors.WrongSequence(stored.LastAssigned);
        }

        if (headers.HasExpectedLastId && !headers.ExpectedLastId.SequenceEqual(stream.LastId))
        {
            return ApiErrors.WrongMessageId(Encoding.UTF8.GetString(stream.LastId));
        }

        if (headers is { ExpectedLastOfSubject: null, ExpectedSubject.IsEmpty: false })
        {
            return ApiErrors.MissingExpectedSequence;
        }

        if (headers.ExpectedLastOfSubject is { } expected)
        {
            ulong actual = stored.Subjects.LastOf(headers.ExpectedSubject.IsEmpty ? subject : headers.ExpectedSubject, withQueued: true);
            if (actual != expected)
            {
                return ApiErrors.WrongSequence(actual);
            }
        }

        if (!headers.Rollup.IsEmpty)
        {
            return RollupError(stream, headers.Rollup);
        }

        return null;
    }

    private static ApiError? RollupError(ServedStream stream, ReadOnlySpan<byte> value)
    {
        if (!stream.Config.AllowRollupHdrs)
        {
            return ApiErrors.RollUpDenied;
        }

        bool isKnown = Ascii.EqualsIgnoreCase(value, RollupOfSubject) || Ascii.EqualsIgnoreCase(value, RollupOfAll);
        return isKnown ? null : ApiErrors.RollUp(Encoding.UTF8.GetString(value));
    }

    private static ApiError? NoSpace(ServedStream stream, in DeliveredMessage message)
    {
        StoredStream stored = stream.Stored;
        StreamConfig config = stream.Config;
        long size = (long)RecordHead.Length + message.Subject.Length + message.Payload.Length;
        if (config.MaxBytes > 0 && size > config.MaxBytes)
        {
            return StoreErrors.MaxBytes;
        }

        if (stream.Store.Quota?.Refuse(size) is { } refusal)
        {
            return refusal;
        }

        if (config.Discard is not StreamRules.DiscardNew)
        {
            return null;
        }

        bool replaces = false;
        if (config.MaxMsgsPerSubject > 0)
        {
            SubjectState? subject = stored.Subjects.Find(message.Subject);
            replaces = subject?.Count + subject?.Queued >= config.MaxMsgsPerSubject;
            if (replaces && config.DiscardNewPerSubject == true)
            {
                return StoreErrors.MaxPerSubject;
            }
        }

        if (replaces)
        {
            return null;
        }

        if (config.MaxMsgs > 0 && stored.Messages + stored.QueuedMessages >= config.MaxMsgs)
        {
            return StoreErrors.MaxMessages;
        }

        return config.MaxBytes > 0 && stored.Bytes + stored.QueuedBytes + size > config.MaxBytes ? StoreErrors.MaxBytes : null;
    }

    private void Append(in StoreBatch batch, ServedStream stream, in DeliveredMessage message, in PublishHeaders headers, ReadOnlySpan<byte> reply)
    {
        StoredStream stored = stream.Stored;
        PendingReply? answer = null;
        long token = -1 - stream.Slot;
        if (!reply.IsEmpty || !headers.MessageId.IsEmpty)
        {
            answer = pending.Rent(reply);
            answer.Stream = stream;
            token = pending.Add(answer);
        }

        ReadOnlySpan<byte> block = headers.HasRequestInfo ? WithoutRequestInfo(message.Headers) : message.Headers;
        MessageFlags flags = stream.Config.AllowMsgTtl == true ? headers.Flags : MessageFlags.None;
        QueueStatus status = headers.Rollup.IsEmpty
            ? batch.Append(stored, message.Subject, block, message.Body, reports, token, flags)
            : batch.AppendAndPurge(
                stored, message.Subject, block, message.Body, Ascii.EqualsIgnoreCase(headers.Rollup, RollupOfAll) ? All : message.Subject, reports, token, flags);
        if (status == QueueStatus.Queued)
        {
            stream.SetLastId(headers.MessageId);
            if (!stream.IsOfInterest(message.Subject))
            {
                batch.Delete(stored, stored.LastAssigned);
            }

            if (!headers.MessageId.IsEmpty)
            {
                answer!.Id = stream.Duplicates.Add(headers.MessageId, stored.LastAssigned, batch.Time);
            }

            return;
        }

        if (answer is not null)
        {
            pending.Return(pending.Take(token));
        }

        responder.Reject(reply, stream, StoreErrors.Of(status, stream.Store, stream.Stored));
    }

    private ReadOnlySpan<byte> WithoutRequestInfo(ReadOnlySpan<byte> block)
    {
        if (_headers.Length < block.Length)
        {
            _headers = new byte[block.Length];
        }

        return _headers.AsSpan(0, PublishHeaders.CopyWithoutRequestInfo(block, _headers));
    }

    // The acknowledgement of a duplicate waits for the disk too.
    private void AnswerDuplicate(ServedStream stream, DuplicateEntry known, ReadOnlySpan<byte> reply)
    {
        if (known.IsStored)
        {
            responder.Acknowledge(reply, stream, known.Sequence, isDuplicate: true);
            return;
        }

        if (!reply.IsEmpty)
        {
            PendingReply answer = pending.Rent(reply);
            answer.Stream = stream;
            answer.Next = known.Waiting;
            known.Waiting = answer;
        }
    }
}
