namespace Broker.ZeroMq.Tests.Threads;

public sealed class RequestReplyOrderTests
{
    [Fact]
    public void A_request_received_before_the_previous_reply_has_returned_leaves_the_REP_to_reply()
    {
        var turns = new RequestReplyOrder(isReply: true, isRelaxed: false);
        turns.EndReceive(turns.BeginReceive());
        RequestReplyOrder.Step first = turns.BeginSend();
        turns.EndReceive(turns.BeginReceive());
        turns.EndSend(first, wasSent: true);

        turns.EndSend(turns.BeginSend(), wasSent: true);
        turns.BeginReceive();
    }

    [Fact]
    public void A_send_that_ends_late_does_not_end_a_later_send()
    {
        var turns = new RequestReplyOrder(isReply: true, isRelaxed: false);
        turns.EndReceive(turns.BeginReceive());
        RequestReplyOrder.Step first = turns.BeginSend();
        turns.EndReceive(turns.BeginReceive());
        RequestReplyOrder.Step second = turns.BeginSend();
        turns.EndSend(first, wasSent: true);
        turns.EndSend(second, wasSent: false);

        Assert.Throws<InvalidOperationException>(() => turns.BeginReceive());
        turns.EndSend(turns.BeginSend(), wasSent: true);
    }

    [Fact]
    public void A_reply_received_before_the_request_has_returned_leaves_the_REQ_to_send()
    {
        var turns = new RequestReplyOrder(isReply: false, isRelaxed: false);
        RequestReplyOrder.Step request = turns.BeginSend();
        turns.EndReceive(turns.BeginReceive());
        turns.EndSend(request, wasSent: true);

        Assert.Throws<InvalidOperationException>(() => turns.BeginReceive());
        turns.BeginSend();
    }

    [Fact]
    public void A_relaxed_request_without_room_leaves_the_previous_one_waiting_for_its_reply()
    {
        var turns = new RequestReplyOrder(isReply: false, isRelaxed: true);
        turns.EndSend(turns.BeginSend(), wasSent: true);
        turns.EndSend(turns.BeginSend(), wasSent: false);

        turns.EndReceive(turns.BeginReceive());
        Assert.Throws<InvalidOperationException>(() => turns.BeginReceive());
    }

    [Fact]
    public void A_reply_received_while_another_request_is_sent_leaves_that_request_waiting()
    {
        var turns = new RequestReplyOrder(isReply: false, isRelaxed: true);
        turns.EndSend(turns.BeginSend(), wasSent: true);
        long began = turns.BeginReceive();
        turns.EndSend(turns.BeginSend(), wasSent: true);
        turns.EndReceive(began);

        turns.EndReceive(turns.BeginReceive());
        turns.BeginSend();
    }
}
