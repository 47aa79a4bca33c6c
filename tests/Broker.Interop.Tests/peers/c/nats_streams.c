/* Uses streams and buckets of a server, and prints the result of each step. The version 3.4.1 has no object stores. */
#include <nats/nats.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "connect.h"

static int count;

static void step(const char *name, natsStatus status, jsErrCode code, const char *format, ...)
{
    va_list values;
    printf("STEP %d %s: %s", ++count, name, natsStatus_GetText(status));
    if (code != 0)
        printf(" %d", (int)code);
    putchar(' ');
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    putchar('\n');
    fflush(stdout);
}

static void print_ack(const char *name, natsStatus status, jsErrCode code, jsPubAck *ack)
{
    if (ack != NULL)
        step(name, status, code, "%s %" PRIu64 " %d", ack->Stream, ack->Sequence, (int)ack->Duplicate);
    else
        step(name, status, code, "");
    jsPubAck_Destroy(ack);
}

static void print_stream(const char *name, natsStatus status, jsErrCode code, jsStreamInfo *info)
{
    if (info != NULL)
        step(name, status, code, "%s %d subjects, %" PRIu64 " messages, %" PRIu64 "-%" PRIu64 ", max %" PRId64 ", %d consumers",
             info->Config->Name, info->Config->SubjectsLen, info->State.Msgs, info->State.FirstSeq, info->State.LastSeq,
             info->Config->MaxMsgs, (int)info->State.Consumers);
    else
        step(name, status, code, "");
    jsStreamInfo_Destroy(info);
}

static void print_consumer(const char *name, natsStatus status, jsErrCode code, jsConsumerInfo *info)
{
    if (info != NULL)
        step(name, status, code, "%s: delivered %" PRIu64 " %" PRIu64 ", floor %" PRIu64 " %" PRIu64 ", %" PRId64 " unacknowledged, %" PRIu64 " pending",
             info->Name, info->Delivered.Consumer, info->Delivered.Stream, info->AckFloor.Consumer, info->AckFloor.Stream,
             info->NumAckPending, info->NumPending);
    else
        step(name, status, code, "");
    jsConsumerInfo_Destroy(info);
}

static void print_message(const char *name, natsStatus status, natsMsg *message)
{
    jsMsgMetaData *data = NULL;
    if (message != NULL && natsMsg_GetMetaData(&data, message) == NATS_OK)
        step(name, status, 0, "%s %.*s, sequences %" PRIu64 " %" PRIu64 ", delivered %" PRIu64, natsMsg_GetSubject(message),
             natsMsg_GetDataLength(message), natsMsg_GetData(message), data->Sequence.Stream, data->Sequence.Consumer, data->NumDelivered);
    else
        step(name, status, 0, "");
    jsMsgMetaData_Destroy(data);
}

static void publish(jsCtx *js)
{
    jsPubAck *ack = NULL;
    jsErrCode code = 0;
    jsPubOptions options;
    natsStatus status = js_Publish(&ack, js, "orders.1", "one", 3, NULL, &code);
    print_ack("publish", status, code, ack);

    jsPubOptions_Init(&options);
    options.MsgId = "id";
    for (int i = 0; i < 2; i++) {
        ack = NULL;
        status = js_Publish(&ack, js, "orders.2", "two", 3, &options, &code);
        print_ack("publish with an id", status, code, ack);
    }

    jsPubOptions_Init(&options);
    options.ExpectLastSeq = 77;
    ack = NULL;
    status = js_Publish(&ack, js, "orders.1", "x", 1, &options, &code);
    print_ack("wrong last sequence", status, code, ack);
    jsPubOptions_Init(&options);
    options.ExpectStream = "OTHER";
    ack = NULL;
    status = js_Publish(&ack, js, "orders.1", "x", 1, &options, &code);
    print_ack("wrong stream", status, code, ack);
    jsPubOptions_Init(&options);
    options.ExpectLastMsgId = "id";
    ack = NULL;
    status = js_Publish(&ack, js, "orders.3", "three", 5, &options, &code);
    print_ack("right last id", status, code, ack);
    jsPubOptions_Init(&options);
    options.ExpectLastSubjectSeq = 9;
    ack = NULL;
    status = js_Publish(&ack, js, "orders.3", "x", 1, &options, &code);
    print_ack("wrong last sequence of the subject", status, code, ack);

    for (int i = 0; i < 20; i++)
        js_PublishAsync(js, "orders.async", "many", 4, NULL);
    status = js_PublishAsyncComplete(js, NULL);
    step("publish without waiting", status, 0, "");
    ack = NULL;
    status = js_Publish(&ack, js, "nowhere", "x", 1, NULL, &code);
    print_ack("no stream", status, 0, ack);
}

static void manage(jsCtx *js)
{
    jsErrCode code = 0;
    jsStreamInfo *info = NULL;
    natsMsg *message = NULL;
    natsStatus status = js_GetStreamInfo(&info, js, "ORDERS", NULL, &code);
    print_stream("stream info", status, code, info);
    info = NULL;
    status = js_GetStreamInfo(&info, js, "NONE", NULL, &code);
    print_stream("no such stream", status, code, info);
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = "ORDERS";
    config.Subjects = (const char *[]){"orders.>"};
    config.SubjectsLen = 1;
    config.MaxMsgs = 1000;
    config.AllowDirect = true;
    info = NULL;
    status = js_UpdateStream(&info, js, &config, NULL, &code);
    print_stream("update stream", status, code, info);
    config.Storage = js_MemoryStorage;
    info = NULL;
    status = js_UpdateStream(&info, js, &config, NULL, &code);
    print_stream("change the storage", status, code, info);
    status = js_GetMsg(&message, js, "ORDERS", 2, NULL, &code);
    step("get a message", status, code, "%s", message == NULL ? "" : natsMsg_GetSubject(message));
    natsMsg_Destroy(message);
    message = NULL;
    status = js_GetLastMsg(&message, js, "ORDERS", "orders.3", NULL, &code);
    step("get the last message", status, code, "%" PRIu64, message == NULL ? 0 : natsMsg_GetSequence(message));
    natsMsg_Destroy(message);
    jsDirectGetMsgOptions direct;
    jsDirectGetMsgOptions_Init(&direct);
    direct.LastBySubject = "orders.2";
    message = NULL;
    status = js_DirectGetMsg(&message, js, "ORDERS", NULL, &direct);
    step("get a message directly", status, 0, "%" PRIu64, message == NULL ? 0 : natsMsg_GetSequence(message));
    natsMsg_Destroy(message);
    status = js_DeleteMsg(js, "ORDERS", 3, NULL, &code);
    step("delete a message", status, code, "");
    status = js_DeleteMsg(js, "ORDERS", 3, NULL, &code);
    step("delete it again", status, code, "");
}

static void pull(jsCtx *js)
{
    jsErrCode code = 0;
    natsSubscription *subscription = NULL;
    jsConsumerInfo *info = NULL;
    natsMsgList list = {0};
    natsStatus status = js_PullSubscribe(&subscription, js, "orders.>", "PULL", NULL, NULL, &code);
    step("pull subscribe", status, code, "");
    for (int i = 0; i < 4 && status == NATS_OK; i++) {
        status = natsSubscription_Fetch(&list, subscription, 1, 30000, &code);
        print_message("fetch", status, list.Count > 0 ? list.Msgs[0] : NULL);
        if (list.Count > 0) {
            natsMsg *message = list.Msgs[0];
            natsStatus acked = i == 0   ? natsMsg_AckSync(message, NULL, &code)
                               : i == 1 ? natsMsg_InProgress(message, NULL)
                               : i == 2 ? natsMsg_Term(message, NULL)
                                        : natsMsg_Nak(message, NULL);
            if (i == 1 && acked == NATS_OK)
                acked = natsMsg_AckSync(message, NULL, &code);
            step("acknowledge", acked, 0, "");
        }
        natsMsgList_Destroy(&list);
    }
    /* Nobody knows when a refused message comes again. */
    int rest = 0;
    int delayed = 0;
    while (rest < 25) {
        status = natsSubscription_Fetch(&list, subscription, 10, 1000, &code);
        if (status != NATS_OK)
            break;
        for (int i = 0; i < list.Count; i++, rest++)
            if (delayed++ == 0)
                natsMsg_NakWithDelay(list.Msgs[i], 1, NULL);
            else
                natsMsg_AckSync(list.Msgs[i], NULL, &code);
        natsMsgList_Destroy(&list);
    }
    step("fetch the rest", status, 0, "%d", rest);
    status = js_GetConsumerInfo(&info, js, "ORDERS", "PULL", NULL, &code);
    print_consumer("consumer info", status, code, info);
    natsSubscription_Destroy(subscription);
    status = js_DeleteConsumer(js, "ORDERS", "PULL", NULL, &code);
    step("delete consumer", status, code, "");
}

static void consumers(jsCtx *js)
{
    jsErrCode code = 0;
    jsConsumerInfo *info = NULL;
    jsConsumerConfig config;
    jsConsumerConfig_Init(&config);
    config.Durable = "NEW";
    config.AckPolicy = js_AckExplicit;
    config.FilterSubject = "orders.async";
    natsStatus status = js_AddConsumer(&info, js, "ORDERS", &config, NULL, &code);
    print_consumer("add consumer", status, code, info);
    info = NULL;
    config.MaxAckPending = 7;
    status = js_UpdateConsumer(&info, js, "ORDERS", &config, NULL, &code);
    print_consumer("update consumer", status, code, info);
    info = NULL;
    config.AckPolicy = js_AckNone;
    status = js_UpdateConsumer(&info, js, "ORDERS", &config, NULL, &code);
    print_consumer("change the policy", status, code, info);
    jsConsumerNamesList *names = NULL;
    status = js_ConsumerNames(&names, js, "ORDERS", NULL, &code);
    step("consumer names", status, code, "%d", names == NULL ? 0 : names->Count);
    jsConsumerNamesList_Destroy(names);
    status = js_DeleteConsumer(js, "ORDERS", "NONE", NULL, &code);
    step("no such consumer", status, code, "");
}

static void push(jsCtx *js)
{
    jsErrCode code = 0;
    natsSubscription *subscription = NULL;
    natsMsg *message = NULL;
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.ManualAck = true;
    options.Config.Durable = "PUSH";
    natsStatus status = js_SubscribeSync(&subscription, js, "orders.1", NULL, &options, &code);
    step("push subscribe", status, code, "");
    status = natsSubscription_NextMsg(&message, subscription, 30000);
    print_message("pushed", status, message);
    status = natsMsg_AckSync(message, NULL, &code);
    step("acknowledge", status, 0, "");
    natsMsg_Destroy(message);
    natsSubscription_Destroy(subscription);

    jsSubOptions_Init(&options);
    options.Ordered = true;
    status = js_SubscribeSync(&subscription, js, "orders.>", NULL, &options, &code);
    step("ordered consumer", status, code, "");
    for (int i = 0; i < 3; i++) {
        status = natsSubscription_NextMsg(&message, subscription, 30000);
        print_message("in order", status, message);
        natsMsg_Destroy(message);
    }
    natsSubscription_Destroy(subscription);
}

static void print_entry(const char *name, natsStatus status, kvEntry *entry)
{
    if (entry != NULL)
        step(name, status, 0, "%s=%s %" PRIu64 " %" PRIu64 " %d", kvEntry_Key(entry),
             kvEntry_ValueString(entry) == NULL ? "" : kvEntry_ValueString(entry), kvEntry_Revision(entry), kvEntry_Delta(entry),
             (int)kvEntry_Operation(entry));
    else
        step(name, status, 0, "");
    kvEntry_Destroy(entry);
}

static void buckets(jsCtx *js)
{
    kvStore *kv = NULL;
    kvConfig config;
    kvEntry *entry = NULL;
    uint64_t revision = 0;
    kvConfig_Init(&config);
    config.Bucket = "b";
    config.History = 5;
    natsStatus status = js_CreateKeyValue(&kv, js, &config);
    step("create bucket", status, 0, "");
    status = kvStore_PutString(&revision, kv, "k", "one");
    step("put", status, 0, "%" PRIu64, revision);
    status = kvStore_Get(&entry, kv, "k");
    print_entry("get", status, entry);
    status = kvStore_UpdateString(&revision, kv, "k", "two", revision);
    step("update", status, 0, "%" PRIu64, revision);
    status = kvStore_UpdateString(NULL, kv, "k", "x", 77);
    step("wrong revision", status, 0, "");
    status = kvStore_CreateString(&revision, kv, "new", "first");
    step("create", status, 0, "%" PRIu64, revision);
    status = kvStore_CreateString(NULL, kv, "new", "second");
    step("create again", status, 0, "");
    entry = NULL;
    status = kvStore_GetRevision(&entry, kv, "k", 1);
    print_entry("get a revision", status, entry);

    kvWatcher *watcher = NULL;
    status = kvStore_WatchAll(&watcher, kv, NULL);
    step("watch", status, 0, "");
    for (int i = 0; i < 3; i++) {
        entry = NULL;
        status = kvWatcher_Next(&entry, watcher, 30000);
        print_entry("watched", status, entry);
    }
    status = kvStore_PutString(&revision, kv, "k", "three");
    step("put", status, 0, "%" PRIu64, revision);
    entry = NULL;
    status = kvWatcher_Next(&entry, watcher, 30000);
    print_entry("watched", status, entry);
    kvWatcher_Destroy(watcher);

    kvKeysList keys = {0};
    status = kvStore_Keys(&keys, kv, NULL);
    step("keys", status, 0, "%d", keys.Count);
    kvKeysList_Destroy(&keys);
    kvEntryList history = {0};
    status = kvStore_History(&history, kv, "k", NULL);
    step("history", status, 0, "%d", history.Count);
    kvEntryList_Destroy(&history);
    status = kvStore_Delete(kv, "k");
    step("delete", status, 0, "");
    entry = NULL;
    status = kvStore_Get(&entry, kv, "k");
    print_entry("deleted", status, entry);
    status = kvStore_Purge(kv, "new", NULL);
    step("purge", status, 0, "");
    entry = NULL;
    status = kvStore_Get(&entry, kv, "none");
    print_entry("missing", status, entry);
    kvStatus *state = NULL;
    status = kvStore_Status(&state, kv);
    step("status", status, 0, "%s %" PRIu64 " %" PRId64, state == NULL ? "" : kvStatus_Bucket(state), state == NULL ? 0 : kvStatus_Values(state),
         state == NULL ? 0 : kvStatus_History(state));
    kvStatus_Destroy(state);
    kvStore_Destroy(kv);
    status = js_DeleteKeyValue(js, "b");
    step("delete bucket", status, 0, "");
}

int main(int argc, char **argv)
{
    natsConnection *connection = NULL;
    jsCtx *js = NULL;
    jsOptions options;
    jsErrCode code = 0;
    jsStreamInfo *info = NULL;
    natsStatus status = argc < 2 ? NATS_INVALID_ARG : connect_patiently(&connection, argv[1]);
    if (status == NATS_OK)
        status = jsOptions_Init(&options);
    options.Wait = 60000;
    if (status == NATS_OK)
        status = natsConnection_JetStream(&js, connection, &options);
    if (status != NATS_OK) {
        fprintf(stderr, "%s\n", natsStatus_GetText(status));
        return 1;
    }
    jsAccountInfo *account = NULL;
    status = js_GetAccountInfo(&account, js, NULL, &code);
    step("account", status, code, "%d", account == NULL ? -1 : (int)account->Streams);
    jsAccountInfo_Destroy(account);
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = "ORDERS";
    config.Subjects = (const char *[]){"orders.>"};
    config.SubjectsLen = 1;
    status = js_AddStream(&info, js, &config, NULL, &code);
    print_stream("add stream", status, code, info);
    info = NULL;
    config.MaxMsgs = 5;
    status = js_AddStream(&info, js, &config, NULL, &code);
    print_stream("add another with its name", status, code, info);
    publish(js);
    manage(js);
    pull(js);
    consumers(js);
    push(js);
    jsStreamNamesList *names = NULL;
    status = js_StreamNames(&names, js, NULL, &code);
    step("stream names", status, code, "%d", names == NULL ? 0 : names->Count);
    jsStreamNamesList_Destroy(names);
    status = js_PurgeStream(js, "ORDERS", NULL, &code);
    step("purge stream", status, code, "");
    status = js_DeleteStream(js, "ORDERS", NULL, &code);
    step("delete stream", status, code, "");
    buckets(js);
    jsCtx_Destroy(js);
    natsConnection_Destroy(connection);
    printf("DONE %d\n", count);
    return 0;
}
